#include "services/audit/audit_entry.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/proto_time.h"
#include "common/stored_json.h"
#include "common/text/cut_text.h"
#include "common/tool_error.h"
#include "observability/call_observer.h"
#include "services/audit/shown_parts.h"

namespace toolgate::services::audit {
namespace {

using security::safe_errors::Masker;

constexpr size_t kMaxParams = 4096;
constexpr size_t kMaxToolName = 64;

// Most of these are usually empty, and protobuf allocates memory even for an empty text that is set.
void SetWho(const security::ToolCall& call, const Masker& masker, v1::AuditEntry& entry) {
  const Caller& caller = call.caller;
  entry.set_workspace_id(caller.workspace_id);
  entry.set_user_id(caller.user_id);
  if (!caller.user_name.empty()) entry.set_user_name(masker.Mask(caller.user_name));
  if (!caller.service.empty()) entry.set_caller_service(caller.service);
  if (!caller.conversation_id.empty()) entry.set_conversation_id(masker.Mask(caller.conversation_id));
  if (!caller.ai_model.empty()) entry.set_ai_model(masker.Mask(caller.ai_model));
  if (!call.request_id.empty()) entry.set_request_id(masker.Mask(call.request_id));
  if (call.trace.valid()) entry.set_trace_id(call.trace.TraceIdHex());
  entry.set_call_id(call.id);
  if (call.is_step()) entry.set_parent_call_id(call.step_of->call_id);
}

void SetWhat(const security::ToolCall& call, const Masker& masker, v1::AuditEntry& entry) {
  if (call.tool == nullptr) {
    // The name as received; unknown, and perhaps hostile. Cut last, because half a secret is not recognised as one.
    const std::string name = masker.MaskJson(Json(text::CutText(call.tool_id, kMaxParams)));
    entry.set_tool_id(text::CutText(name.size() >= 2 ? name.substr(1, name.size() - 2) : name, kMaxToolName));
    return;
  }
  entry.set_tool_id(call.tool->definition.id);
  entry.set_tool_name(call.tool->definition.display_name);
  entry.set_params_json(ShowArguments(call.arguments(), call.tool, masker).json);
}

// The question that was asked, or whose approval the call came with.
void SetQuestion(const security::ToolCall& call, const security::ToolResult* result, v1::AuditEntry& entry) {
  entry.clear_confirmation_id();
  entry.clear_question_digest();
  if (result != nullptr && result->confirmation.has_value()) {
    entry.set_confirmation_id(result->confirmation->confirmation_id);
    entry.set_question_digest(result->confirmation->question_digest);
  } else if (call.approval.has_value() && !call.approval->confirmation_id.empty()) {
    entry.set_confirmation_id(call.approval->confirmation_id);
    entry.set_question_digest(call.approval->question_digest);
  }
}

void SetResult(const security::ToolCall& call, const security::ToolResult& result, v1::AuditEntry& entry) {
  entry.set_success(result.success);
  FillAffected(call, result, entry);
  entry.set_can_undo(result.can_undo);
  if (!result.undo_entry_id.empty()) entry.set_undo_entry_id(result.undo_entry_id);
  entry.set_idempotent_replay(result.replayed);
  entry.set_untrusted(result.untrusted);
}

// "OK", "CONFIRMATION_REQUIRED", or the code of the error, as in metrics and logs.
std::string_view OutcomeOf(const CallEnding& ending) {
  using observability::CallOutcome;
  if (ending.result != nullptr && ending.result->confirmation.has_value()) {
    return OutcomeName(CallOutcome::kConfirmationRequested, std::nullopt);
  }
  if (ending.result != nullptr && ending.result->success) return OutcomeName(CallOutcome::kSucceeded, std::nullopt);
  return OutcomeName(CallOutcome::kFailed, ending.error != nullptr ? std::optional(ending.error->code) : std::nullopt);
}

// The members, texts, of which the schema says that only secrets are masked.
std::vector<std::string_view> NamesAmong(const Json& arguments, const Json& schema) {
  std::vector<std::string_view> names;
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object()) return names;
  for (auto member = arguments.begin(); member != arguments.end(); ++member) {
    const auto property = properties->find(member.key());
    if (property == properties->end() || !property->is_object() || !member->is_string()) continue;
    if (property->value("x-toolgate-mask", "") == "secrets") names.push_back(member.key());
  }
  return names;
}

// Clears the result of an attempt that did not count.
void ClearResult(v1::AuditEntry& entry) {
  entry.clear_success();
  entry.clear_error();
  entry.clear_affected_block_ids();
  entry.clear_affected_blocks_omitted();
  entry.clear_can_undo();
  entry.clear_undo_entry_id();
  entry.clear_idempotent_replay();
  entry.clear_untrusted();
}

}  // namespace

std::string MaskArguments(const Json& arguments, const executors::Tool* tool, const Masker& masker) {
  std::string masked = masker.MaskJson(arguments);
  if (tool == nullptr || !arguments.is_object()) return masked;
  const std::vector<std::string_view> names = NamesAmong(arguments, tool->definition.argument_schema);
  if (names.empty()) return masked;
  absl::StatusOr<Json> parsed = ParseJson(masked, kStoredJson);
  if (!parsed.ok() || !parsed->is_object() || parsed->size() != arguments.size()) return masked;
  const Masker secrets(security::safe_errors::MaskLevel::kSecrets, masker.known());
  // Masks keep the order of members.
  auto shown = parsed->begin();
  for (auto member = arguments.begin(); member != arguments.end(); ++member, ++shown) {
    if (std::find(names.begin(), names.end(), member.key()) == names.end()) continue;
    shown.value() = secrets.Mask(member->get_ref<const std::string&>());
  }
  return DumpJson(*parsed);
}

ShownArguments ShowArguments(const Json& arguments, const executors::Tool* tool, const Masker& masker) {
  std::string masked = MaskArguments(arguments, tool, masker);
  const bool cut = masked.size() > kMaxParams;
  return {cut ? text::CutText(masked, kMaxParams) : std::move(masked), cut};
}

void SetToolError(const ToolError& error, v1::ToolError& out) {
  out.set_code(std::string(ErrorCodeName(error.code)));
  out.set_message(error.message);
  out.set_retryable(error.retryable);
  if (error.retry_after.has_value()) SetProtoDuration(*error.retry_after, *out.mutable_retry_after());
  if (error.facts.empty() && error.violations.empty()) return;
  auto& fields = *out.mutable_details()->mutable_fields();
  for (const auto& [name, value] : error.facts) fields[name].set_string_value(value);
  if (error.violations.empty()) return;
  auto* list = fields["violations"].mutable_list_value();
  for (const Violation& violation : error.violations) {
    auto& row = *list->add_values()->mutable_struct_value()->mutable_fields();
    row["path"].set_string_value(violation.path);
    row["rule"].set_string_value(violation.rule);
    row["expected"].set_string_value(violation.expected);
    row["found"].set_string_value(violation.found);
  }
}

void BeginAuditEntry(const security::ToolCall& call, const Masker& masker, v1::AuditEntry& entry) {
  entry.set_id(call.audit_entry_id);
  SetWho(call, masker, entry);
  SetWhat(call, masker, entry);
  entry.set_dry_run(call.dry_run);
}

void EndAuditEntry(const security::ToolCall& call, const CallEnding& ending, const Masker& masker,
                   v1::AuditEntry& entry) {
  SetProtoTime(ending.time, *entry.mutable_timestamp());
  SetProtoDuration(ending.duration, *entry.mutable_duration());
  entry.set_conversation_untrusted(call.state.conversation_untrusted);
  // Scanning the tool's outside data may have added some.
  entry.clear_injection_findings();
  entry.set_injection_findings_omitted(FillFindings(call, *entry.mutable_injection_findings()));
  for (auto& finding : *entry.mutable_injection_findings()) finding.set_path(masker.Mask(finding.path()));
  ClearResult(entry);
  entry.set_outcome(std::string(OutcomeOf(ending)));
  SetQuestion(call, ending.result, entry);
  if (ending.error != nullptr) SetToolError(*ending.error, *entry.mutable_error());
  if (ending.result != nullptr) {
    SetResult(call, *ending.result, entry);
  } else {
    entry.set_refused_by(std::string(call.state.refused_by));
  }
}

v1::AuditEntry MakeOperatorEntry(const OperatorAction& action, const Caller& caller, absl::Time now,
                                 const Masker& masker) {
  v1::AuditEntry entry;
  entry.set_id(action.id);
  SetProtoTime(now, *entry.mutable_timestamp());
  entry.set_workspace_id(caller.workspace_id);
  entry.set_user_id(caller.user_id);
  entry.set_user_name(masker.Mask(caller.user_name));
  entry.set_caller_service(caller.service);
  entry.set_tool_id(action.action);
  entry.set_params_json(text::CutText(masker.MaskJson(action.params), kMaxParams));
  entry.set_success(!action.error.has_value());
  using observability::CallOutcome;
  if (action.error.has_value()) {
    entry.set_outcome(std::string(OutcomeName(CallOutcome::kFailed, action.error->code)));
    SetToolError(*action.error, *entry.mutable_error());
  } else {
    entry.set_outcome(std::string(OutcomeName(CallOutcome::kSucceeded, std::nullopt)));
  }
  return entry;
}

}  // namespace toolgate::services::audit
