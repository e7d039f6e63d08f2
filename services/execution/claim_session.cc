#include "services/execution/claim_session.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "security/place_left.h"
#include "services/execution/call_frame.h"

namespace toolgate::services::execution {
namespace {

// Of a call without a deadline, which layer 4 leaves to none.
constexpr absl::Duration kMaxClaim = absl::Hours(1);

}  // namespace

absl::Time ClaimEnd(const security::ToolCall& call, absl::Time now) {
  return now + std::clamp(call.cancellation.Remaining(), absl::ZeroDuration(), kMaxClaim) + kClaimGrace;
}

absl::StatusOr<bool> ExtendClaim(storage::Transaction& tx, std::string_view id, const storage::ClaimHold& hold,
                                 absl::Time good_until) {
  ASSIGN_OR_RETURN(const std::optional<storage::Claim> claim, tx.FindClaim(id));
  if (!claim.has_value() || claim->owner != hold.owner || claim->recoveries != hold.attempt) return false;
  if (claim->good_until >= good_until) return true;
  return tx.RenewClaim(id, hold, good_until, claim->checkpoint);
}

absl::Status ClaimSession::Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) {
  return environment_.store.Read(call_.caller.workspace_id, call_.patience(), body);
}

std::string ClaimSession::ApprovedState(const security::ToolCall& call) {
  const bool compares = call.approval.has_value() && call.tool != nullptr &&
                        std::holds_alternative<executors::EffectPreview>(call.tool->handlers.preview);
  return compares ? call.approval->state_digest : "";
}

absl::Status ClaimSession::CheckState(absl::FunctionRef<absl::StatusOr<std::string>()> present) {
  if (approved_state_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CompareState(present(), approved_state_));
  state_checked_ = true;
  return absl::OkStatus();
}

absl::Status ClaimSession::Checkpoint(std::string state) {
  if (!approved_state_.empty() && !state_checked_) {
    return absl::FailedPreconditionError("the handler has not compared the state for which its call was let pass");
  }
  if (!claimed_) return absl::FailedPreconditionError("a dry run, or a tool that only reads, has no checkpoint");
  if (state.size() > storage::kMaxCheckpointBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a checkpoint of ", state.size(), " bytes is longer than the ",
                                                   storage::kMaxCheckpointBytes, " that one may have"));
  }
  bool held = false;
  const absl::Time end = ClaimEnd(call_, environment_.clock.Now());
  RETURN_IF_ERROR(environment_.store.Commit(
      WriteContextOf(call_, environment_), storage::CommitMode::kDurable, call_.cancellation,
      [&](storage::Transaction& tx) -> absl::Status {
        ASSIGN_OR_RETURN(
            held, tx.RenewClaim(call_.audit_entry_id, {environment_.process_id, call_.claim_attempt}, end, state));
        return absl::OkStatus();
      }));
  if (!held) return storage::NotHeld(call_.audit_entry_id);
  checkpoint_ = std::move(state);
  return absl::OkStatus();
}

absl::StatusOr<bool> WaitFor(const Environment& environment, const security::ToolCall& call, fibers::Event& event,
                             absl::Duration timeout) {
  if (event.IsSet()) return true;
  const security::PlaceLeft left(call);
  return environment.waits.Wait(event, call.cancellation, environment.clock.Monotonic() + timeout);
}

absl::StatusOr<bool> ClaimSession::Wait(fibers::Event& event, absl::Duration timeout) {
  return WaitFor(environment_, call_, event, timeout);
}

}  // namespace toolgate::services::execution
