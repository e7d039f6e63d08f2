#include "services/api/chat_tools.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/json.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/internal_tool.h"
#include "security/execution_tracking/result_cap.h"
#include "services/api/convert.h"
#include "services/api/execute_call.h"
#include "services/audit/audit_entry.h"
#include "services/chat/chat_loop.h"
#include "services/chat/turn.h"
#include "services/rendering/result_events.h"
#include "storage/records.h"

namespace toolgate::services::api {
namespace {

using chat::ToolOutcome;
using internal::v1::ChatToolUse;

constexpr size_t kMaxShownArguments = size_t{4} << 10;
constexpr size_t kMaxToolCallId = 128;

ToolError NotInThisMode(const std::string& tool_id) {
  ToolError error;
  error.code = ErrorCode::kForbidden;
  error.message = "the user asked for an answer in a mode that does not offer " + tool_id;
  return error;
}

}  // namespace

bool FitsMode(std::string_view mode_hint, const executors::ToolDefinition& definition) {
  if (mode_hint.empty() || mode_hint == "auto") return true;
  return std::find(definition.modes.begin(), definition.modes.end(), mode_hint) != definition.modes.end();
}

std::string ChatTools::ToolIdOf(const ChatToolUse& use) const {
  const executors::Tool* tool = known_.core().catalog().Find(use.name());
  return tool == nullptr ? use.name() : tool->definition.id;
}

v1::ToolCallStart ChatTools::Describe(const ChatToolUse& use) {
  v1::ToolCallStart start;
  start.set_tool_name(ToolIdOf(use));
  start.set_tool_call_id(use.id());
  const absl::StatusOr<Json> arguments = ParseJson(use.arguments_json());
  const security::safe_errors::Masker& masker = known_.core().masker();
  const executors::Tool* const tool = known_.core().catalog().Find(use.name());
  const std::string masked =
      arguments.ok() ? audit::MaskArguments(*arguments, tool, masker) : masker.Mask(use.arguments_json());
  start.set_arguments_json(std::string(text::PrefixOfBytes(masked, kMaxShownArguments)));
  start.set_arguments_truncated(masked.size() > kMaxShownArguments);
  return start;
}

v1::ExecuteRequest ChatTools::RequestOf(const ChatToolUse& use, std::string_view idempotency_key,
                                        std::string_view token) const {
  v1::ExecuteRequest request;
  *request.mutable_caller() = claimed_;
  request.set_tool_id(use.name());
  request.set_arguments_json(use.arguments_json());
  const auto& messages = log_.messages();
  if (const size_t begin = chat::TurnBegin(messages); begin < messages.size()) {
    request.set_request_id(messages[begin].id);
  }
  request.set_idempotency_key(std::string(idempotency_key));
  request.set_confirmation_token(std::string(token));
  if (use.id().size() <= kMaxToolCallId) request.set_tool_call_id(use.id());
  return request;
}

absl::StatusOr<ToolOutcome> ChatTools::Call(const ChatToolUse& use, std::string_view idempotency_key,
                                            std::string_view token) {
  RETURN_IF_ERROR(cancellation_.Check());
  const executors::Tool* tool = known_.core().catalog().Find(use.name());
  const bool reads_on = use.name() == chat::kReadOnTool;
  if (tool != nullptr && !reads_on && !FitsMode(caller_.mode_hint, tool->definition)) {
    ToolOutcome outcome;
    outcome.record = chat::NotRun(use, tool->definition.id, NotInThisMode(tool->definition.id));
    return outcome;
  }
  // Of its own, since the tool's time limit is not the chat's.
  fibers::Cancellation of_call;
  of_call.Watch(cancellation_);
  security::ToolCall call(of_call);
  v1::ExecuteRequest request = RequestOf(use, idempotency_key, token);
  absl::StatusOr<security::ToolResult> result =
      reads_on ? ReadOn(std::move(request), call) : RunTool(known_, request, call);
  if (!result.ok()) return Refused(use, result.status());
  if (result->confirmation.has_value()) {
    v1::ExecuteResponse response;
    FillResponse(call, *std::move(result), response);
    ToolOutcome outcome;
    outcome.question = std::move(*response.mutable_confirmation_request());
    return outcome;
  }
  return Ended(use, call, *std::move(result));
}

// A part has the size of a result that the model is shown, unless the model asks for less.
absl::StatusOr<security::ToolResult> ChatTools::ReadOn(v1::ExecuteRequest request, security::ToolCall& call) const {
  absl::StatusOr<Json> arguments = ParseJson(request.arguments_json(), known_.core().argument_limits());
  if (!arguments.ok() || !arguments->is_object()) {
    return executors::InvalidArgument("", "type", "the arguments are not a JSON object",
                                      R"(an object such as {"continuation": "…"})");
  }
  const auto most = static_cast<int64_t>(std::max(max_result_bytes_, security::execution_tracking::kMinResultBytes));
  Json& max_bytes = (*arguments)["maxBytes"];
  // 1048576.0 is an integer, too, and any may exceed those of 64 bits.
  const bool too_many = max_bytes.is_number() && max_bytes.get<double>() > static_cast<double>(most);
  if (max_bytes.is_null() || too_many) max_bytes = most;
  request.clear_arguments_json();  // They would count before those.
  return RunInternalTool(known_, executors::InternalTool::kReadResult, request, *std::move(arguments), call);
}

absl::StatusOr<ToolOutcome> ChatTools::Refused(const ChatToolUse& use, const absl::Status& refusal) const {
  RETURN_IF_ERROR(cancellation_.Check());
  const std::optional<ToolError> error = GetToolError(refusal);
  if (!error.has_value()) return refusal;
  ToolOutcome outcome;
  outcome.record = chat::NotRun(use, ToolIdOf(use), *error);
  return outcome;
}

ToolOutcome ChatTools::Ended(const ChatToolUse& use, const security::ToolCall& call,
                             security::ToolResult result) const {
  ToolOutcome outcome;
  if (std::optional<rendering::ResultEvent> event = rendering::EventOf(call.tool->definition, result)) {
    rendering::SetEvent(*std::move(event), outcome.shown.emplace_back());
  }
  if (result.success && result.data_json.size() > max_result_bytes_ && use.name() != chat::kReadOnTool) {
    known_.core().Shorten(call, max_result_bytes_, result);
  }
  outcome.record.set_tool_use_id(use.id());
  outcome.record.set_tool_id(call.tool->definition.id);
  if (!result.success) *outcome.record.mutable_error() = ToPayload(result.error.value_or(ToolError()));
  outcome.record.set_data_json(std::move(result.data_json));
  outcome.record.set_untrusted(result.untrusted);
  outcome.record.set_boundary(std::move(result.boundary));
  outcome.record.set_truncated(result.truncated);
  // A part of a result says itself where the next one begins.
  if (result.truncated) outcome.record.set_continuation(std::move(result.continuation));
  outcome.record.set_latency_ms(absl::ToInt64Milliseconds(result.ended_at - result.started_at));
  return outcome;
}

absl::StatusOr<bool> ChatTools::AwaitDecision(const std::string& confirmation_id, absl::Duration timeout) {
  absl::StatusOr<std::optional<storage::Confirmation>> row =
      known_.runtime().decisions.Wait(caller_, confirmation_id, timeout, cancellation_);
  if (!row.ok()) {
    const std::optional<ToolError> error = GetToolError(row.status());
    if (error.has_value() && error->code == ErrorCode::kOverloaded) return false;
    return row.status();
  }
  // The pipeline says what has become of one that is gone.
  if (!row->has_value()) return true;
  const bool pending = (*row)->state == storage::Confirmation::State::kPending;
  return !pending || (*row)->expires_at <= known_.runtime().clock.Now();
}

}  // namespace toolgate::services::api
