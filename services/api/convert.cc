#include "services/api/convert.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/message_bounds.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/confirmation/question.h"
#include "services/api/struct_json.h"
#include "services/audit/audit_entry.h"
#include "services/audit/shown_parts.h"

namespace toolgate::services::api {
namespace {

constexpr size_t kMaxId = 128;

absl::Status CheckLength(std::string_view field, std::string_view value) {
  if (value.size() <= kMaxId) return absl::OkStatus();
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat(ToAbsl(field), " is longer than ", kMaxId, " bytes of UTF-8");
  error.violations.push_back({std::string(field), "maxLength", absl::StrCat("at most ", kMaxId, " bytes of UTF-8"),
                              absl::StrCat("a text of ", value.size(), " bytes")});
  return ToStatus(error);
}

// The form of all ids that providers of models are known to give; other texts stay out of traces.
bool IsOrdinaryId(std::string_view id) {
  return std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.' || c == ':';
  });
}

absl::Status FillArguments(const v1::ExecuteRequest& request, security::ToolCall& call) {
  if (request.input_case() == v1::ExecuteRequest::kArgumentsJson) {
    call.arguments_text = request.arguments_json();
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

// Copies the fields that must be checked; fails at the first that is not valid.
absl::Status FillChecked(const v1::ExecuteRequest& request, security::ToolCall& call) {
  RETURN_IF_ERROR(CheckLength("request_id", request.request_id()));
  call.request_id = request.request_id();
  RETURN_IF_ERROR(CheckLength("tool_call_id", request.tool_call_id()));
  if (call.recording != nullptr && IsOrdinaryId(request.tool_call_id())) call.tool_call_id = request.tool_call_id();
  if (request.has_budget()) RETURN_IF_ERROR(FillBudget(request.budget(), call.budget));
  return FillArguments(request, call);
}

// Takes the bytes of the data off `room`, or leaves it out.
void FillChange(const storage::BlockDelta& delta, size_t& room, v1::BlockChange& out) {
  const storage::Block& block = delta.after.has_value() ? *delta.after : *delta.before;
  out.set_block_id(block.id);
  out.set_block_type(block.type);
  const std::string_view before = delta.before.has_value() ? delta.before->data : std::string_view();
  const std::string_view after = delta.after.has_value() ? delta.after->data : std::string_view();
  if (before.size() + after.size() <= room) {
    room -= before.size() + after.size();
    out.set_before_json(std::string(before));
    out.set_after_json(std::string(after));
  } else {
    out.set_data_omitted(true);
  }
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

void FillChanges(const storage::Changes& changes, size_t omitted, v1::ToolResult& out) {
  const size_t blocks = std::min(changes.blocks.size(), kMaxShownChanges);
  const size_t links = std::min(changes.links.size(), kMaxShownChanges - blocks);
  size_t room = kMaxChangesBytes;
  for (size_t i = 0; i < blocks; ++i) FillChange(changes.blocks[i], room, *out.add_changes());
  for (size_t i = 0; i < links; ++i) FillChange(changes.links[i], *out.add_link_changes());
  omitted += changes.blocks.size() - blocks + changes.links.size() - links;
  out.set_changes_omitted(static_cast<int32_t>(omitted));
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

void FillResult(const security::ToolCall& call, security::ToolResult&& result, v1::ToolResult& out) {
  out.set_success(result.success);
  out.set_data_json(std::move(result.data_json));
  if (result.error.has_value()) audit::SetToolError(*result.error, *out.mutable_error());
  if (!result.undo_entry_id.empty()) out.set_undo_entry_id(std::move(result.undo_entry_id));
  out.set_can_undo(result.can_undo);
  audit::FillAffected(call, result, out);
  out.set_tokens_used(result.tokens_used);
  out.set_retry_count(result.retry_count);
  SetProtoTime(result.started_at, *out.mutable_started_at());
  SetProtoTime(result.ended_at, *out.mutable_ended_at());
  SetProtoDuration(result.ended_at - result.started_at, *out.mutable_duration());
  out.set_audit_entry_id(std::move(result.audit_entry_id));
  out.set_replayed(result.replayed);
  out.set_replay_of_another_request(result.replay_of_another_request);
  out.set_dry_run(result.dry_run);
  out.set_untrusted(result.untrusted);
  out.set_conversation_untrusted(call.state.conversation_untrusted);
  out.set_truncated(result.truncated);
  if (!result.continuation.empty()) out.set_continuation(std::move(result.continuation));
  FillChanges(result.changes, result.changes_omitted, out);
  out.set_injection_findings_omitted(audit::FillFindings(call, *out.mutable_injection_findings()));
}

void FillRefusal(const security::ToolCall& call, const ToolError& error, absl::Time now, v1::ToolResult& out) {
  out.set_success(false);
  audit::SetToolError(error, *out.mutable_error());
  out.set_refused_by(std::string(call.state.refused_by));
  SetProtoTime(call.arrived, *out.mutable_started_at());
  SetProtoTime(now, *out.mutable_ended_at());
  SetProtoDuration(now - call.arrived, *out.mutable_duration());
  out.set_audit_entry_id(call.audit_entry_id);
  out.set_dry_run(call.dry_run);
  out.set_conversation_untrusted(call.state.conversation_untrusted);
}

void FillResponse(const security::ToolCall& call, security::ToolResult&& result, v1::ExecuteResponse& out) {
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
  confirmation->set_question_digest(std::move(request.question_digest));
  confirmation->set_undo_summary(std::move(request.undo_summary));
  confirmation->set_reversible(request.reversible);
  SetProtoTime(request.expires_at, *confirmation->mutable_expires_at());
  confirmation->set_needs_decision(request.needs_decision);
  for (std::string& id : request.affected_block_ids) confirmation->add_affected_block_ids(std::move(id));
}

void FillUndoEntry(const storage::UndoEntry& entry, v1::UndoEntry& out) {
  out.set_id(entry.id);
  out.set_tool_id(entry.tool_id);
  SetProtoTime(entry.created_at, *out.mutable_created_at());
  out.set_user_id(entry.user_id);
  out.set_description(entry.description);
  const size_t blocks = std::min(entry.affected_block_ids.size(), kMaxShownBlocks);
  for (size_t i = 0; i < blocks; ++i) out.add_affected_block_ids(entry.affected_block_ids[i]);
  const auto unlisted = static_cast<int64_t>(entry.affected_block_ids.size() - blocks);
  out.set_affected_blocks_omitted(static_cast<int32_t>(entry.affected_blocks_omitted + unlisted));
  out.set_can_undo(entry.reversible && !entry.undone);
  if (entry.is_undo()) out.set_undoes_entry_id(entry.undoes.front());
  for (const std::string& id : entry.undoes) out.add_undoes_entry_ids(id);
  out.set_audit_entry_id(entry.audit_entry_id);
  out.set_request_id(entry.request_id);
  out.set_conversation_id(entry.conversation_id);
}

void FillConfirmation(const storage::Confirmation& confirmation, v1::PendingConfirmation& out) {
  out.set_confirmation_id(confirmation.id);
  out.set_tool_id(confirmation.tool_id);
  out.set_user_id(confirmation.user_id);
  out.set_summary(confirmation.summary);
  out.set_question_digest(security::confirmation::QuestionDigest(confirmation.summary));
  out.set_arguments_json(confirmation.arguments_json);
  SetProtoTime(confirmation.created_at, *out.mutable_created_at());
  SetProtoTime(confirmation.expires_at, *out.mutable_expires_at());
  out.set_conversation_id(confirmation.conversation_id);
}

}  // namespace toolgate::services::api
