#include "services/rpc/convert.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/pipeline/audit_entry.h"
#include "services/rpc/struct_json.h"

namespace toolgate::services::rpc {
namespace {

constexpr size_t kMaxId = 128;
constexpr size_t kMaxChanges = 100;

absl::Status CheckLength(std::string_view field, std::string_view value) {
  if (value.size() <= kMaxId) return absl::OkStatus();
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat(ToAbsl(field), " is longer than ", kMaxId, " bytes of UTF-8");
  error.violations.push_back({std::string(field), "maxLength", absl::StrCat("at most ", kMaxId, " bytes of UTF-8"),
                              absl::StrCat("a text of ", value.size(), " bytes")});
  return ToStatus(error);
}

absl::Status FillArguments(const v1::ExecuteRequest& request, security::ToolCall& call) {
  if (request.input_case() == v1::ExecuteRequest::kArgumentsJson) {
    call.arguments_text = request.arguments_json();
    // An empty text is not JSON, and the parser says so; only an absent one means {}.
    if (call.arguments_text.empty()) call.arguments_text = " ";
  } else if (request.input_case() == v1::ExecuteRequest::kArguments) {
    ASSIGN_OR_RETURN(call.arguments_text, StructToJson(request.arguments()));
  }
  return absl::OkStatus();
}

absl::Status FillBudget(const v1::Budget& budget, security::Budget& out) {
  if (budget.max_calls() < 0 || budget.max_tokens() < 0 || budget.max_execution_time().seconds() < 0 ||
      budget.max_execution_time().nanos() < 0) {
    return MakeError(ErrorCode::kInvalidParams, "a budget cannot be negative");
  }
  out.max_calls = budget.max_calls();
  out.max_tokens = budget.max_tokens();
  out.max_execution_time = FromProtoDuration(budget.max_execution_time());
  return absl::OkStatus();
}

// What is taken over only when it is as it must be.
absl::Status FillChecked(const v1::ExecuteRequest& request, security::ToolCall& call) {
  RETURN_IF_ERROR(CheckLength("request_id", request.request_id()));
  call.request_id = request.request_id();
  RETURN_IF_ERROR(CheckLength("tool_call_id", request.tool_call_id()));
  if (request.has_budget()) RETURN_IF_ERROR(FillBudget(request.budget(), call.budget));
  return FillArguments(request, call);
}

void FillChange(const storage::BlockDelta& delta, v1::BlockChange& out) {
  const storage::Block& block = delta.after.has_value() ? *delta.after : *delta.before;
  out.set_block_id(block.id);
  out.set_block_type(block.type);
  if (delta.before.has_value()) out.set_before_json(delta.before->data);
  if (delta.after.has_value()) out.set_after_json(delta.after->data);
  if (!delta.before.has_value()) {
    out.set_kind(v1::BlockChange::KIND_CREATED);
  } else if (!delta.after.has_value()) {
    out.set_kind(v1::BlockChange::KIND_DELETED);
  } else {
    out.set_kind(v1::BlockChange::KIND_UPDATED);
  }
}

void FillChange(const storage::LinkDelta& delta, v1::LinkChange& out) {
  const storage::Link& link = delta.after.has_value() ? *delta.after : *delta.before;
  out.set_from_id(link.from_id);
  out.set_to_id(link.to_id);
  out.set_relation(link.relation);
  out.set_kind(delta.after.has_value() ? v1::LinkChange::KIND_CREATED : v1::LinkChange::KIND_DELETED);
}

// At most `room` rows; answers how many there was no room for.
template <typename Delta, typename Rows>
size_t FillChanges(const std::vector<Delta>& deltas, size_t room, Rows& rows) {
  const size_t shown = std::min(room, deltas.size());
  for (size_t i = 0; i < shown; ++i) FillChange(deltas[i], *rows.Add());
  return deltas.size() - shown;
}

}  // namespace

Caller FromProto(const v1::Caller& caller) {
  Caller out;
  out.workspace_id = caller.workspace_id();
  out.user_id = caller.user_id();
  out.user_name = caller.user_name();
  out.is_guest = caller.is_guest();
  out.conversation_id = caller.conversation_id();
  out.ai_model = caller.ai_model();
  out.mode_hint = caller.mode_hint();
  out.time_zone = caller.time_zone();
  return out;
}

void FillCall(const v1::ExecuteRequest& request, security::ToolCall& call) {
  call.tool_id = request.tool_id();
  call.claimed = FromProto(request.caller());
  call.idempotency_key = request.idempotency_key();
  call.confirmation_token = request.confirmation_token();
  call.dry_run = request.dry_run();
  call.malformed = FillChecked(request, call);
}

void FillResult(const security::ToolCall& call, security::ToolResult result, v1::ToolResult& out) {
  out.set_success(result.success);
  out.set_data_json(std::move(result.data_json));
  if (result.error.has_value()) pipeline::SetToolError(*result.error, *out.mutable_error());
  if (!result.undo_entry_id.empty()) out.set_undo_entry_id(std::move(result.undo_entry_id));
  out.set_can_undo(result.can_undo);
  for (std::string& id : result.affected_block_ids) out.add_affected_block_ids(std::move(id));
  out.set_tokens_used(result.tokens_used);
  out.set_retry_count(result.retry_count);
  *out.mutable_started_at() = ToProtoTime(result.started_at);
  *out.mutable_ended_at() = ToProtoTime(result.ended_at);
  *out.mutable_duration() = ToProtoDuration(result.ended_at - result.started_at);
  out.set_audit_entry_id(std::move(result.audit_entry_id));
  out.set_replayed(result.replayed);
  out.set_dry_run(result.dry_run);
  out.set_untrusted(result.untrusted);
  out.set_conversation_untrusted(call.conversation_untrusted);
  out.set_truncated(result.truncated);
  out.set_continuation(std::move(result.continuation));
  size_t omitted = FillChanges(result.changes.blocks, kMaxChanges, *out.mutable_changes());
  omitted += FillChanges(result.changes.links, kMaxChanges - out.changes_size(), *out.mutable_link_changes());
  out.set_changes_omitted(static_cast<int32_t>(omitted));
  for (const security::Finding& finding : call.findings) {
    auto* row = out.add_injection_findings();
    row->set_rule_id(finding.rule_id);
    row->set_family(finding.family);
    row->set_path(finding.path);
    row->set_offset(finding.offset);
    row->set_weight(finding.weight);
  }
}

void FillResponse(const security::ToolCall& call, security::ToolResult result, v1::ExecuteResponse& out) {
  if (!result.confirmation.has_value()) {
    FillResult(call, std::move(result), *out.mutable_result());
    return;
  }
  security::ConfirmationRequest& request = *result.confirmation;
  auto* confirmation = out.mutable_confirmation_request();
  confirmation->set_token(std::move(request.token));
  confirmation->set_confirmation_id(std::move(request.confirmation_id));
  confirmation->set_tool_id(call.tool->definition.id);
  confirmation->set_summary(std::move(request.summary));
  confirmation->set_undo_summary(std::move(request.undo_summary));
  confirmation->set_reversible(request.reversible);
  *confirmation->mutable_expires_at() = ToProtoTime(request.expires_at);
  confirmation->set_needs_decision(request.needs_decision);
  for (std::string& id : request.affected_block_ids) confirmation->add_affected_block_ids(std::move(id));
}

void FillUndoEntry(const storage::UndoEntry& entry, v1::UndoEntry& out) {
  out.set_id(entry.id);
  out.set_tool_id(entry.tool_id);
  *out.mutable_created_at() = ToProtoTime(entry.created_at);
  out.set_user_id(entry.user_id);
  out.set_description(entry.description);
  for (const std::string& id : entry.affected_block_ids) out.add_affected_block_ids(id);
  out.set_can_undo(entry.reversible && !entry.undone);
  out.set_undoes_entry_id(entry.undoes_entry_id);
  out.set_audit_entry_id(entry.audit_entry_id);
}

void FillConfirmation(const storage::Confirmation& confirmation, v1::PendingConfirmation& out) {
  out.set_confirmation_id(confirmation.id);
  out.set_tool_id(confirmation.tool_id);
  out.set_user_id(confirmation.user_id);
  out.set_summary(confirmation.summary);
  out.set_arguments_json(confirmation.arguments_json);
  *out.mutable_created_at() = ToProtoTime(confirmation.created_at);
  *out.mutable_expires_at() = ToProtoTime(confirmation.expires_at);
  out.set_conversation_id(confirmation.conversation_id);
}

}  // namespace toolgate::services::rpc
