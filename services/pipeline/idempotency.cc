#include "services/pipeline/idempotency.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "services/pipeline/shown_parts.h"
#include "storage/fault.h"
#include "toolgate/internal/v1/outcome.pb.h"

namespace toolgate::services::pipeline {
namespace {

constexpr size_t kMaxKeyCharacters = 255;

absl::Status KeyError(std::string_view message, std::string_view expected) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = message;
  error.violations.push_back({"idempotency_key", "idempotency", std::string(expected), ""});
  return ToStatus(error);
}

// The transaction that ran the tool stored its outcome and its audit entry. What failed before it, in what a person was
// to be shown, is stored by nobody yet.
bool IsStored(const security::ToolCall& call, const security::ToolResult& result) {
  return call.audited || result.success || result.replayed;
}

// A question is none, and what came in between says nothing of the call: it may be tried again.
bool IsOutcome(const security::ToolResult& result) {
  if (result.confirmation.has_value()) return false;
  if (!result.error.has_value()) return true;
  const ErrorCode code = result.error->code;
  return !result.error->retryable && code != ErrorCode::kCancelled && code != ErrorCode::kTimeout &&
         code != ErrorCode::kOverloaded;
}

// The change may have been undone meanwhile, or others may have pushed it off the stack.
absl::StatusOr<bool> CanUndoNow(const security::ToolCall& call, const internal::v1::StoredOutcome& stored,
                                storage::ReadView& view) {
  if (stored.undo_entry_id().empty()) return false;
  ASSIGN_OR_RETURN(const std::vector<storage::UndoEntry> stack, view.ListUndoEntries(call.caller.user_id));
  return std::any_of(stack.begin(), stack.end(), [&](const storage::UndoEntry& entry) {
    return entry.id == stored.undo_entry_id() && entry.reversible && !entry.undone;
  });
}

}  // namespace

absl::StatusOr<storage::IdempotentOutcome> ToOutcome(const security::ToolCall& call, const security::ToolResult& result,
                                                     absl::Time now) {
  internal::v1::StoredOutcome stored;
  stored.set_success(result.success);
  stored.set_data_json(result.data_json);
  if (result.error.has_value()) *stored.mutable_error() = ToPayload(*result.error);
  stored.set_undo_entry_id(result.undo_entry_id);
  FillAffected(call, result, stored);
  stored.set_tokens_used(result.tokens_used);
  stored.set_retry_count(result.retry_count);
  stored.set_started_at_us(absl::ToUnixMicros(result.started_at));
  stored.set_ended_at_us(absl::ToUnixMicros(result.ended_at));
  stored.set_audit_entry_id(result.audit_entry_id);
  stored.set_untrusted(result.untrusted);
  stored.set_truncated(result.truncated);
  stored.set_continuation(result.continuation);
  ASSIGN_OR_RETURN(std::string response, SerializeProto(stored));
  return storage::IdempotentOutcome{call.tool->definition.id, call.arguments_digest(), std::move(response), now};
}

absl::StatusOr<security::ToolResult> FromOutcome(const security::ToolCall& call,
                                                 const storage::IdempotentOutcome& outcome, storage::ReadView& view) {
  if (outcome.tool_id != call.tool->definition.id || outcome.arguments_digest != call.arguments_digest()) {
    return KeyError("this idempotency key was used for another tool or other arguments",
                    "a key of its own for each call");
  }
  internal::v1::StoredOutcome stored;
  if (!ParseProto(outcome.response, stored).ok()) {
    return storage::MarkFault(absl::DataLossError("a stored outcome cannot be read"));
  }
  security::ToolResult result;
  result.success = stored.success();
  result.data_json = stored.data_json();
  if (stored.has_error()) result.error = FromPayload(stored.error());
  result.undo_entry_id = stored.undo_entry_id();
  ASSIGN_OR_RETURN(result.can_undo, CanUndoNow(call, stored, view));
  result.affected_block_ids.assign(stored.affected_block_ids().begin(), stored.affected_block_ids().end());
  result.affected_blocks_omitted = static_cast<size_t>(stored.affected_blocks_omitted());
  result.tokens_used = stored.tokens_used();
  result.retry_count = stored.retry_count();
  result.started_at = absl::FromUnixMicros(stored.started_at_us());
  result.ended_at = absl::FromUnixMicros(stored.ended_at_us());
  result.audit_entry_id = stored.audit_entry_id();
  result.untrusted = stored.untrusted();
  result.truncated = stored.truncated();
  result.continuation = stored.continuation();
  result.replayed = true;
  return result;
}

absl::StatusOr<security::ToolResult> Replay::Run(security::ToolCall& call, security::Next next) {
  if (call.idempotency_key.empty() || call.dry_run) return next(call);
  if (executors::CountCharacters(call.idempotency_key) > kMaxKeyCharacters) {
    return KeyError(absl::StrCat("an idempotency key has at most ", kMaxKeyCharacters, " characters"),
                    absl::StrCat("at most ", kMaxKeyCharacters, " characters"));
  }
  ASSIGN_OR_RETURN(std::optional<security::ToolResult> stored, FindStored(call));
  if (stored.has_value()) return *std::move(stored);
  absl::StatusOr<security::ToolResult> result = next(call);
  if (result.ok()) {
    if (IsStored(call, *result) || !IsOutcome(*result)) return result;
    return StoreFailure(call, *std::move(result));
  }
  // The first call may have ended since, and be what the repeat was refused for: it used up their token.
  absl::StatusOr<std::optional<security::ToolResult>> meanwhile = FindStored(call);
  if (meanwhile.ok() && meanwhile->has_value()) return **std::move(meanwhile);
  return result;
}

absl::StatusOr<security::ToolResult> Replay::StoreFailure(const security::ToolCall& call, security::ToolResult result) {
  const absl::Time now = clock_.Now();
  const storage::WriteContext context{call.caller.workspace_id, call.caller.user_id, call.audit_entry_id, now};
  std::optional<security::ToolResult> known;
  RETURN_IF_ERROR(store_.Commit(
      context, storage::CommitMode::kDurable, call.cancellation, [&](storage::Transaction& tx) -> absl::Status {
        known.reset();
        ASSIGN_OR_RETURN(const auto outcome, tx.ClaimIdempotencyKey(call.caller.user_id, call.idempotency_key));
        if (!outcome.has_value()) {
          ASSIGN_OR_RETURN(const storage::IdempotentOutcome failed, ToOutcome(call, result, now));
          return tx.PutOutcome(call.caller.user_id, call.idempotency_key, failed);
        }
        ASSIGN_OR_RETURN(known, FromOutcome(call, *outcome, tx));
        return absl::OkStatus();
      }));
  return known.has_value() ? *std::move(known) : std::move(result);
}

absl::StatusOr<std::optional<security::ToolResult>> Replay::FindStored(security::ToolCall& call) {
  std::optional<security::ToolResult> result;
  RETURN_IF_ERROR(store_.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(const auto outcome, view.FindOutcome(call.caller.user_id, call.idempotency_key, clock_.Now()));
    if (!outcome.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(result, FromOutcome(call, *outcome, view));
    return absl::OkStatus();
  }));
  if (result.has_value() && result->untrusted) RETURN_IF_ERROR(take_in_(call, *result));
  return result;
}

}  // namespace toolgate::services::pipeline
