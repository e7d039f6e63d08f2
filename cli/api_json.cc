#include "cli/api_json.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"

namespace toolgate::cli {
namespace {

// Limits for results, which may be larger and deeper than arguments.
constexpr JsonLimits kResultLimits = {
    .max_bytes = size_t{64} << 20, .max_depth = 512, .max_keys = 10'000'000, .max_values = 10'000'000};
constexpr int kMaxStructDepth = 64;

template <typename Repeated>
Json List(const Repeated& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(item);
  return list;
}

Json FromValue(const google::protobuf::Value& value, int depth) {
  if (depth > kMaxStructDepth) return nullptr;
  switch (value.kind_case()) {
    case google::protobuf::Value::kBoolValue:
      return value.bool_value();
    case google::protobuf::Value::kNumberValue:
      return value.number_value();
    case google::protobuf::Value::kStringValue:
      return value.string_value();
    case google::protobuf::Value::kListValue: {
      Json list = Json::array();
      for (const auto& item : value.list_value().values()) list.push_back(FromValue(item, depth + 1));
      return list;
    }
    case google::protobuf::Value::kStructValue: {
      // Sorted by key, because a protobuf map has no order.
      nlohmann::json object = nlohmann::json::object();
      for (const auto& [key, member] : value.struct_value().fields()) object[key] = FromValue(member, depth + 1);
      return object;
    }
    default:
      return nullptr;
  }
}

Json FromStruct(const google::protobuf::Struct& fields) {
  google::protobuf::Value value;
  *value.mutable_struct_value() = fields;
  return FromValue(value, 0);
}

// Name of an enum value without its prefix, in lower case.
std::string Unprefixed(const std::string& name, std::string_view prefix) {
  const std::string rest = absl::AsciiStrToLower(name.substr(std::min(prefix.size(), name.size())));
  return rest == "unspecified" ? "" : rest;
}

Json Findings(const google::protobuf::RepeatedPtrField<v1::InjectionFinding>& findings) {
  Json list = Json::array();
  for (const v1::InjectionFinding& finding : findings) {
    list.push_back({{"ruleId", finding.rule_id()},
                    {"family", finding.family()},
                    {"path", finding.path()},
                    {"offset", finding.offset()},
                    {"weight", finding.weight()}});
  }
  return list;
}

Json Changes(const google::protobuf::RepeatedPtrField<v1::BlockChange>& changes) {
  Json list = Json::array();
  for (const v1::BlockChange& change : changes) {
    list.push_back({{"blockId", change.block_id()},
                    {"blockType", change.block_type()},
                    {"kind", KindName(change.kind())},
                    {"before", change.before_json().empty() ? Json(nullptr) : EmbeddedJson(change.before_json())},
                    {"after", change.after_json().empty() ? Json(nullptr) : EmbeddedJson(change.after_json())},
                    {"dataOmitted", change.data_omitted()}});
  }
  return list;
}

Json Changes(const google::protobuf::RepeatedPtrField<v1::LinkChange>& changes) {
  Json list = Json::array();
  for (const v1::LinkChange& change : changes) {
    list.push_back({{"fromId", change.from_id()},
                    {"toId", change.to_id()},
                    {"relation", change.relation()},
                    {"kind", KindName(change.kind())}});
  }
  return list;
}

double Milliseconds(const google::protobuf::Duration& duration) {
  return absl::ToDoubleMilliseconds(FromProtoDuration(duration));
}

}  // namespace

std::string Rfc3339(const google::protobuf::Timestamp& timestamp) {
  if (timestamp.seconds() == 0 && timestamp.nanos() == 0) return "";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", FromProtoTime(timestamp), absl::UTCTimeZone());
}

Json EmbeddedJson(const std::string& text) {
  if (text.empty()) return nullptr;
  absl::StatusOr<Json> value = ParseJson(text, kResultLimits);
  if (value.ok()) return *std::move(value);
  return text;
}

Json ToJson(const v1::ToolError& error) {
  Json json = {{"code", error.code()}, {"message", error.message()}};
  if (error.has_details()) json["details"] = FromStruct(error.details());
  json["retryable"] = error.retryable();
  if (error.has_retry_after()) {
    json["retryAfterSeconds"] = absl::ToDoubleSeconds(FromProtoDuration(error.retry_after()));
  }
  return json;
}

Json ToJson(const v1::ToolResult& result) {
  Json json{{"success", result.success()},
            {"data", EmbeddedJson(result.data_json())},
            {"error", result.has_error() ? ToJson(result.error()) : Json(nullptr)},
            {"undoEntryId", result.undo_entry_id()},
            {"canUndo", result.can_undo()},
            {"affectedBlockIds", List(result.affected_block_ids())},
            {"affectedBlocksOmitted", result.affected_blocks_omitted()},
            {"tokensUsed", result.tokens_used()},
            {"retryCount", result.retry_count()},
            {"startedAt", Rfc3339(result.started_at())},
            {"endedAt", Rfc3339(result.ended_at())},
            {"durationMs", Milliseconds(result.duration())},
            {"auditEntryId", result.audit_entry_id()},
            {"renderedText", result.rendered_text()},
            {"replayed", result.replayed()},
            {"replayOfAnotherRequest", result.replay_of_another_request()},
            {"dryRun", result.dry_run()},
            {"changes", Changes(result.changes())},
            {"linkChanges", Changes(result.link_changes())},
            {"changesOmitted", result.changes_omitted()},
            {"injectionFindings", Findings(result.injection_findings())},
            {"injectionFindingsOmitted", result.injection_findings_omitted()},
            {"untrusted", result.untrusted()},
            {"truncated", result.truncated()},
            {"continuation", result.continuation()},
            {"conversationUntrusted", result.conversation_untrusted()}};
  for (const v1::ToolOutput& output : result.output()) {
    json["output"].push_back({{"channel", output.channel()}, {"chunkBase64", absl::Base64Escape(output.chunk())}});
  }
  if (result.output_omitted_bytes() > 0) json["outputOmittedBytes"] = result.output_omitted_bytes();
  return json;
}

Json ToJson(const v1::ConfirmationRequest& request) {
  return {{"token", request.token()},
          {"confirmationId", request.confirmation_id()},
          {"toolId", request.tool_id()},
          {"summary", request.summary()},
          {"questionDigest", request.question_digest()},
          {"undoSummary", request.undo_summary()},
          {"reversible", request.reversible()},
          {"expiresAt", Rfc3339(request.expires_at())},
          {"needsDecision", request.needs_decision()},
          {"affectedBlockIds", List(request.affected_block_ids())}};
}

Json ToJson(const v1::Tool& tool) {
  Json limits = Json::array();
  for (const v1::RateLimit& limit : tool.limits()) {
    limits.push_back({{"maxCalls", limit.max_calls()},
                      {"windowSeconds", absl::ToDoubleSeconds(FromProtoDuration(limit.window()))},
                      {"audience", limit.audience()}});
  }
  Json examples = Json::array();
  for (const v1::ToolExample& example : tool.examples()) {
    examples.push_back({{"description", example.description()},
                        {"arguments", EmbeddedJson(example.arguments_json())},
                        {"result", EmbeddedJson(example.result_json())}});
  }
  return {{"id", tool.id()},
          {"displayName", tool.display_name()},
          {"description", tool.description()},
          {"category", CategoryName(tool.category())},
          {"module", tool.module()},
          {"argumentSchema", EmbeddedJson(tool.argument_schema_json())},
          {"resultSchema", EmbeddedJson(tool.result_schema_json())},
          {"requiredPermissions", List(tool.required_permissions())},
          {"confirmation", RuleName(tool.confirmation())},
          {"limits", std::move(limits)},
          {"timeoutSeconds", absl::ToDoubleSeconds(FromProtoDuration(tool.timeout()))},
          {"examples", std::move(examples)},
          {"annotations",
           {{"readOnly", tool.annotations().read_only()},
            {"destructive", tool.annotations().destructive()},
            {"idempotent", tool.annotations().idempotent()},
            {"openWorld", tool.annotations().open_world()},
            {"reversible", tool.annotations().reversible()},
            {"remembered", tool.annotations().remembered()}}}};
}

Json ToJson(const v1::UndoEntry& entry) {
  return {{"id", entry.id()},
          {"toolId", entry.tool_id()},
          {"createdAt", Rfc3339(entry.created_at())},
          {"userId", entry.user_id()},
          {"description", entry.description()},
          {"affectedBlockIds", List(entry.affected_block_ids())},
          {"affectedBlocksOmitted", entry.affected_blocks_omitted()},
          {"canUndo", entry.can_undo()},
          {"undoesEntryId", entry.undoes_entry_id()},
          {"undoesEntryIds", List(entry.undoes_entry_ids())},
          {"auditEntryId", entry.audit_entry_id()},
          {"requestId", entry.request_id()},
          {"conversationId", entry.conversation_id()}};
}

Json ToJson(const v1::PendingConfirmation& confirmation) {
  return {{"confirmationId", confirmation.confirmation_id()},
          {"toolId", confirmation.tool_id()},
          {"userId", confirmation.user_id()},
          {"summary", confirmation.summary()},
          {"questionDigest", confirmation.question_digest()},
          {"arguments", EmbeddedJson(confirmation.arguments_json())},
          {"createdAt", Rfc3339(confirmation.created_at())},
          {"expiresAt", Rfc3339(confirmation.expires_at())},
          {"conversationId", confirmation.conversation_id()}};
}

Json ToJson(const v1::AuditEntry& entry) {
  return {{"id", entry.id()},
          {"timestamp", Rfc3339(entry.timestamp())},
          {"workspaceId", entry.workspace_id()},
          {"userId", entry.user_id()},
          {"userName", entry.user_name()},
          {"callerService", entry.caller_service()},
          {"toolId", entry.tool_id()},
          {"toolName", entry.tool_name()},
          {"params", EmbeddedJson(entry.params_json())},
          {"success", entry.success()},
          {"error", entry.has_error() ? ToJson(entry.error()) : Json(nullptr)},
          {"outcome", entry.outcome()},
          {"refusedBy", entry.refused_by()},
          {"requestId", entry.request_id()},
          {"conversationId", entry.conversation_id()},
          {"aiModel", entry.ai_model()},
          {"affectedBlockIds", List(entry.affected_block_ids())},
          {"affectedBlocksOmitted", entry.affected_blocks_omitted()},
          {"canUndo", entry.can_undo()},
          {"undoEntryId", entry.undo_entry_id()},
          {"injectionFindings", Findings(entry.injection_findings())},
          {"injectionFindingsOmitted", entry.injection_findings_omitted()},
          {"durationMs", Milliseconds(entry.duration())},
          {"traceId", entry.trace_id()},
          {"idempotentReplay", entry.idempotent_replay()},
          {"takenBack", entry.taken_back()},
          {"dryRun", entry.dry_run()},
          {"untrusted", entry.untrusted()},
          {"conversationUntrusted", entry.conversation_untrusted()},
          {"callId", entry.call_id()},
          {"parentCallId", entry.parent_call_id()},
          {"sequence", entry.sequence()},
          {"entryHash", absl::BytesToHexString(entry.entry_hash())},
          {"previousHash", absl::BytesToHexString(entry.previous_hash())}};
}

Json ToJson(const v1::VerifyChainResponse& response) {
  return {{"valid", response.valid()},
          {"entriesChecked", response.entries_checked()},
          {"firstSequence", response.first_sequence()},
          {"lastSequence", response.last_sequence()},
          {"headHash", absl::BytesToHexString(response.head_hash())},
          {"brokenSequence", response.broken_sequence()},
          {"problem", response.problem()}};
}

Json ToJson(const v1::Instruction& instruction) {
  return {{"coreInstruction", instruction.core_instruction()},
          {"memory", instruction.memory()},
          {"memoryEnabled", instruction.memory_enabled()},
          {"dbSchema", instruction.db_schema()},
          {"updatedAt", instruction.has_updated_at() ? Json(Rfc3339(instruction.updated_at())) : Json(nullptr)}};
}

std::string CategoryName(v1::ToolCategory category) {
  return Unprefixed(v1::ToolCategory_Name(category), "TOOL_CATEGORY_");
}

std::string RuleName(v1::ConfirmationRule rule) {
  return Unprefixed(v1::ConfirmationRule_Name(rule), "CONFIRMATION_RULE_");
}

std::string KindName(v1::LinkChange::Kind kind) { return Unprefixed(v1::LinkChange::Kind_Name(kind), "KIND_"); }

std::string KindName(v1::BlockChange::Kind kind) { return Unprefixed(v1::BlockChange::Kind_Name(kind), "KIND_"); }

}  // namespace toolgate::cli
