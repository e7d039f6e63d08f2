#include "services/pipeline/idempotency.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "services/execution/stored_outcome.h"
#include "storage/fault.h"

namespace toolgate::services::pipeline {
namespace {

constexpr size_t kMaxKeyCharacters = 255;

// The transaction that ran the tool stored its outcome and its audit entry. What failed before it, in what a person was
// to be shown, is stored by nobody yet.
bool IsStored(const security::ToolCall& call, const security::ToolResult& result) {
  return call.state.audited || result.success || result.replayed;
}

// A question is none, and what came in between says nothing of the call: it may be tried again.
bool IsOutcome(const security::ToolResult& result) {
  if (result.confirmation.has_value()) return false;
  if (!result.error.has_value()) return true;
  const ErrorCode code = result.error->code;
  return !result.error->retryable && code != ErrorCode::kCancelled && code != ErrorCode::kTimeout &&
         code != ErrorCode::kOverloaded;
}

// As storage::KeyIsHeld says it.
bool IsHeldKey(const absl::Status& status) { return absl::IsAborted(status) && GetToolError(status).has_value(); }

}  // namespace

absl::StatusOr<security::ToolResult> Replay::Run(security::ToolCall& call, security::Next next) {
  if (call.idempotency_key.empty() || call.dry_run) return next(call);
  if (executors::CountCharacters(call.idempotency_key) > kMaxKeyCharacters) {
    return execution::KeyError(absl::StrCat("an idempotency key has at most ", kMaxKeyCharacters, " characters"),
                               absl::StrCat("at most ", kMaxKeyCharacters, " characters"));
  }
  ASSIGN_OR_RETURN(std::optional<security::ToolResult> stored, FindFirst(call));
  if (stored.has_value()) return *std::move(stored);
  absl::StatusOr<security::ToolResult> result = next(call);
  if (result.ok()) {
    if (IsStored(call, *result) || !IsOutcome(*result)) return result;
    return StoreFailure(call, *std::move(result));
  }
  // The first call may have begun or ended since, and be what the repeat was refused for: it used up their token.
  absl::StatusOr<std::optional<security::ToolResult>> meanwhile = FindFirst(call);
  if (meanwhile.ok() && meanwhile->has_value()) return **std::move(meanwhile);
  return IsHeldKey(meanwhile.status()) ? meanwhile.status() : result;
}

absl::StatusOr<security::ToolResult> Replay::StoreFailure(const security::ToolCall& call, security::ToolResult result) {
  const absl::Time now = clock_.Now();
  const storage::WriteContext context{call.caller.workspace_id, call.caller.user_id, call.audit_entry_id, now,
                                      call.call_span()};
  std::optional<security::ToolResult> known;
  RETURN_IF_ERROR(store_.Commit(
      context, storage::CommitMode::kDurable, call.cancellation, [&](storage::Transaction& tx) -> absl::Status {
        known.reset();
        ASSIGN_OR_RETURN(const auto outcome, tx.ClaimIdempotencyKey(call.caller.user_id, call.idempotency_key));
        if (!outcome.has_value()) {
          ASSIGN_OR_RETURN(const storage::IdempotentOutcome failed, execution::ToOutcome(call, result, now));
          return tx.PutOutcome(call.caller.user_id, call.idempotency_key, failed);
        }
        ASSIGN_OR_RETURN(known, execution::FromOutcome(call, *outcome, tx));
        return absl::OkStatus();
      }));
  return known.has_value() ? *std::move(known) : std::move(result);
}

absl::StatusOr<std::optional<security::ToolResult>> Replay::FindFirst(security::ToolCall& call) {
  const std::string& user = call.caller.user_id;
  const absl::Time now = clock_.Now();
  std::optional<security::ToolResult> result;
  RETURN_IF_ERROR(store_.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(const auto outcome, view.FindOutcome(user, call.idempotency_key, now));
    if (outcome.has_value()) {
      ASSIGN_OR_RETURN(result, execution::FromOutcome(call, *outcome, view));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::optional<storage::Claim> claim, view.FindClaimByKey(user, call.idempotency_key));
    return claim.has_value() ? storage::KeyIsHeld(*claim, now) : absl::OkStatus();
  }));
  if (result.has_value() && result->untrusted) RETURN_IF_ERROR(outside_text_.Receive(call, *result));
  return result;
}

}  // namespace toolgate::services::pipeline
