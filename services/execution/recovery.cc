#include "services/execution/recovery.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/execution/claim_session.h"
#include "services/execution/claimed_call.h"
#include "services/execution/saga_steps.h"

namespace toolgate::services::execution {
namespace {

using executors::Acted;
using executors::Recovered;
using security::ToolCall;

// Claims that are in memory at once.
constexpr int64_t kPart = 100;
// The time that a recoverer has.
constexpr absl::Duration kRecoveryTime = absl::Minutes(2);

constexpr std::string_view NameOf(Recovered::Outcome outcome) {
  switch (outcome) {
    case Recovered::Outcome::kFinished:
      return "finished";
    case Recovered::Outcome::kRolledBack:
      return "rolled_back";
    case Recovered::Outcome::kPartlyRolledBack:
      return "partly_rolled_back";
    case Recovered::Outcome::kUnknown:
      return "unknown";
  }
  return "";
}

absl::StatusOr<Recovered> Recover(const executors::Tool& tool, executors::ToolContext& context,
                                  executors::EffectSession& session) {
  if (tool.handlers.recover != nullptr) return tool.handlers.recover(context, session);
  // A read-only tool left nothing behind.
  return Recovered{.outcome = Recovered::Outcome::kRolledBack, .acted = {}};
}

// The outcome of the call, for its repeats and for the audit log.
absl::StatusOr<Acted> OutcomeOf(Recovered recovered) {
  if (recovered.outcome != Recovered::Outcome::kFinished && !recovered.failure.ok()) return recovered.failure;
  switch (recovered.outcome) {
    case Recovered::Outcome::kFinished:
      return std::move(recovered.acted);
    case Recovered::Outcome::kRolledBack:
      return MakeError(ErrorCode::kExecutionError,
                       "the service stopped while the tool ran; everything that it had begun was taken back");
    case Recovered::Outcome::kPartlyRolledBack:
      return MakeError(ErrorCode::kExecutionError,
                       "the service stopped while the tool ran; not everything that it had begun could be taken back");
    case Recovered::Outcome::kUnknown:
      break;
  }
  return MakeError(ErrorCode::kExecutionError,
                   "the service stopped while the tool ran, and it is not known whether it took effect; look before "
                   "you try again");
}

}  // namespace

absl::StatusOr<int64_t> Recovery::Resolve(Abandoned which) const {
  int64_t left = 0;
  storage::ClaimPlace after;
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<storage::OpenClaim> part, environment_.store.ListClaims(after, kPart));
    for (const storage::OpenClaim& open : part) {
      // The claim of a step is the affair of its automation's, whose handler may be running still.
      if (running_.Contains(open.claim.id) || !open.claim.part_of.empty() || !IsAbandoned(open.claim, which)) continue;
      if (!Resolved(open)) ++left;
    }
    if (part.size() < kPart) return left;
    after = {part.back().workspace_id, part.back().claim.id};
  }
}

bool Recovery::Resolved(const storage::OpenClaim& open, int64_t attempt_of_whole) const {
  const absl::StatusOr<std::string_view> recovery = ResolveOne(open, attempt_of_whole);
  if (report_ != nullptr) report_(open, recovery.value_or(""), recovery.status());
  return recovery.ok();
}

bool Recovery::IsAbandoned(const storage::Claim& claim, Abandoned which) const {
  if (which == Abandoned::kNotOwnRunning || claim.owner == environment_.process_id) return true;
  return claim.good_until <= environment_.clock.Now();
}

absl::StatusOr<std::string_view> Recovery::ResolveOne(const storage::OpenClaim& open, int64_t attempt_of_whole) const {
  const storage::Claim& claim = open.claim;
  const executors::Tool* const tool = catalog_.Find(claim.tool_id);
  if (tool == nullptr || (tool->handlers.recover == nullptr && !tool->read_only())) {
    return absl::FailedPreconditionError(
        absl::StrCat("no tool of this service recovers what \"", claim.tool_id,
                     "\" left in the journal; start a version of the service that has this tool"));
  }
  ToolCall call;
  RETURN_IF_ERROR(FromClaimedCall(claim.call, *tool, call));
  call.claim_attempt = claim.recoveries + 1;
  if (call.is_step()) call.step_of->claim_attempt = attempt_of_whole;
  call.arrived_monotonic = environment_.clock.Monotonic();
  call.cancellation.Reset(environment_.clock, call.arrived_monotonic + kRecoveryTime);
  ASSIGN_OR_RETURN(const bool taken, TakeOver(open));
  if (!taken) return absl::AbortedError("another process has taken the claim over");
  RETURN_IF_ERROR(ResolveParts(open, call.claim_attempt));
  executors::ToolContext context = ToolContextOf(call, environment_);
  SagaSteps steps(environment_, call);
  context.saga = &steps;
  ClaimSession session(environment_, call, /*claimed=*/true, claim.checkpoint);
  security::ToolResult result;
  result.started_at = call.arrived;
  ASSIGN_OR_RETURN(Recovered recovered, Recover(*tool, context, session));
  EffectRunner::Ending ending;
  ending.recovery = NameOf(recovered.outcome);
  ending.is_known = recovered.outcome != Recovered::Outcome::kUnknown;
  ending.acted = OutcomeOf(std::move(recovered));
  const std::string_view recovery = ending.recovery;
  RETURN_IF_ERROR(effects_.Settle(call, std::move(ending), result));
  return recovery;
}

absl::Status Recovery::ResolveParts(const storage::OpenClaim& whole, int64_t attempt) const {
  std::vector<storage::Claim> parts;
  RETURN_IF_ERROR(environment_.store.Read(whole.workspace_id, [&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(parts, view.ListClaimParts(whole.claim.id));
    return absl::OkStatus();
  }));
  for (storage::Claim& part : parts) {
    if (!Resolved({whole.workspace_id, std::move(part)}, attempt)) {
      return absl::UnavailableError("a step of the automation cannot be resolved yet");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Recovery::TakeOver(const storage::OpenClaim& open) const {
  const absl::Time now = environment_.clock.Now();
  const storage::WriteContext context{open.workspace_id, open.claim.user_id, open.claim.id, now};
  bool taken = false;
  RETURN_IF_ERROR(environment_.store.Commit(
      context, storage::CommitMode::kDurable, fibers::Cancellation(), [&](storage::Transaction& tx) -> absl::Status {
        ASSIGN_OR_RETURN(taken, tx.TakeOverClaim(open.claim.id, {open.claim.owner, open.claim.recoveries},
                                                 environment_.process_id, now + kRecoveryTime + kClaimGrace));
        return absl::OkStatus();
      }));
  return taken;
}

}  // namespace toolgate::services::execution
