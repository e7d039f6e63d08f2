#include "services/execution/stored_outcome.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/audit/shown_parts.h"
#include "storage/fault.h"
#include "toolgate/internal/v1/outcome.pb.h"

namespace toolgate::services::execution {
namespace {

// The change may have been undone meanwhile, or others may have pushed it off the stack.
absl::StatusOr<bool> CanUndoNow(const security::ToolCall& call, const internal::v1::StoredOutcome& stored,
                                storage::ReadView& view) {
  if (stored.undo_entry_id().empty()) return false;
  ASSIGN_OR_RETURN(const std::vector<storage::UndoEntry> stack, view.ListUndoEntries(call.caller.user_id));
  return std::any_of(stack.begin(), stack.end(), [&](const storage::UndoEntry& entry) {
    return entry.id == stored.undo_entry_id() && entry.reversible && !entry.undone;
  });
}

bool IsOfAnotherRequest(const security::ToolCall& call, const internal::v1::StoredOutcome& stored) {
  return stored.has_request_id() &&
         (stored.request_id() != call.request_id || stored.conversation_id() != call.caller.conversation_id);
}

}  // namespace

absl::Status KeyError(std::string_view message, std::string_view expected) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = message;
  error.violations.push_back({"idempotency_key", "idempotency", std::string(expected), ""});
  return ToStatus(error);
}

absl::StatusOr<storage::IdempotentOutcome> ToOutcome(const security::ToolCall& call, const security::ToolResult& result,
                                                     absl::Time now) {
  internal::v1::StoredOutcome stored;
  stored.set_success(result.success);
  stored.set_data_json(result.data_json);
  if (result.error.has_value()) *stored.mutable_error() = ToPayload(*result.error);
  stored.set_undo_entry_id(result.undo_entry_id);
  audit::FillAffected(call, result, stored);
  stored.set_tokens_used(result.tokens_used);
  stored.set_retry_count(result.retry_count);
  stored.set_started_at_us(absl::ToUnixMicros(result.started_at));
  stored.set_ended_at_us(absl::ToUnixMicros(result.ended_at));
  stored.set_audit_entry_id(result.audit_entry_id);
  stored.set_untrusted(result.untrusted);
  stored.set_truncated(result.truncated);
  stored.set_continuation(result.continuation);
  stored.set_request_id(call.request_id);
  stored.set_conversation_id(call.caller.conversation_id);
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
  result.replay_of_another_request = IsOfAnotherRequest(call, stored);
  return result;
}

}  // namespace toolgate::services::execution
