#include "services/api/execute_call.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/json_count.h"
#include "common/message_bounds.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "observability/log_field.h"
#include "services/api/arrive.h"
#include "services/api/collected_output.h"
#include "services/api/convert.h"
#include "services/api/input_budget.h"
#include "services/api/take_up.h"
#include "services/rendering/result_renderer.h"

namespace toolgate::services::api {
namespace {

using executors::InternalTool;

// Bytes of arguments that become no large tree.
constexpr size_t kShortArguments = size_t{4} << 10;

void Arrive(const KnownCall& known, security::ToolCall& call) {
  Arrive(known.runtime(), known.inbound(), call);
  call.principal = known.principal();
}

// Room for the tree that the arguments of `call` become, for as long as the answer is kept. Without room, and unless it
// is refused anyway, the call is refused as one that could not be read.
InputBudget::Lease MakeRoom(const KnownCall& known, security::ToolCall& call) {
  InputBudget::Lease lease(known.runtime().inputs);
  const size_t bytes = call.arguments_text.size();
  if (bytes < kShortArguments || !call.malformed.ok()) return lease;
  const absl::StatusOr<JsonCounts> counts = CountJson(call.arguments_text, known.core().argument_limits());
  if (counts.ok() && !lease.Grow(CostOfJson(bytes, *counts))) call.malformed = NoRoom(known.runtime());
  return lease;
}

// Renders `result` as the request asks for. Where that comes out too long, since a rendering escapes what it holds, the
// result is cut until it does not: then its data and its rendering say alike where the rest is.
std::string Render(const Core& core, const security::ToolCall& call, const v1::ExecuteRequest& request,
                   security::ToolResult& result) {
  const size_t bound = core.max_result_bytes() + kRenderingBytes;
  const auto render = [&] {
    return rendering::RenderResult(result, call.tool->definition.id, request.tool_call_id(), request.result_format());
  };
  std::string rendered = render();
  while (result.success && rendered.size() > bound) {
    // The next one is about as much shorter as its data is, and somewhat more so that one turn mostly does.
    const double share = 0.95 * static_cast<double>(bound) / static_cast<double>(rendered.size());
    core.Shorten(call, static_cast<size_t>(share * static_cast<double>(result.data_json.size())), result);
    rendered = render();
  }
  return rendered;
}

// Whether the refusal of `call`, if asked for, is a result: somebody is known to have asked, and still listens.
bool CanBeResult(const KnownCall& known, const security::ToolCall& call, absl::Time now) {
  return !call.caller.user_id.empty() && !call.cancellation.cancelled() && now < known.inbound().deadline;
}

// `refusal` as the request asks for it: a status, or a result in `response`.
absl::Status Refuse(const KnownCall& known, const v1::ExecuteRequest& request, const security::ToolCall& call,
                    const absl::Status& refusal, v1::ExecuteResponse& response) {
  if (request.refusals() != v1::REFUSAL_FORM_RESULT) return refusal;
  const absl::Time now = known.runtime().clock.Now();
  const std::optional<ToolError> error = GetToolError(refusal);
  if (!error.has_value() || !CanBeResult(known, call, now)) return refusal;
  v1::ToolResult& result = *response.mutable_result();
  FillRefusal(call, *error, now, result);
  const std::string& tool_id = call.tool == nullptr ? request.tool_id() : call.tool->definition.id;
  result.set_rendered_text(rendering::RenderRefusal(*error, tool_id, request.tool_call_id(), request.result_format()));
  return absl::OkStatus();
}

// Warns of a client whose calls have no keys of their own. Nothing of the line is the caller's text.
absl::StatusOr<security::ToolResult> RunCall(const KnownCall& known, security::ToolCall& call) {
  absl::StatusOr<security::ToolResult> result = known.core().pipeline().Run(call);
  if (!result.ok() || !result->replay_of_another_request) return result;
  known.runtime().logger.Warning(
      "an idempotency key came back from another request, which was answered the stored outcome and ran nothing; "
      "clients must give each call a key of its own",
      {{"call_id", call.id},
       {"trace_id", call.trace.TraceIdHex()},
       observability::LogField::Key("tool", call.tool->definition.id),
       {"audit_entry_id", call.audit_entry_id},
       {"first_audit_entry_id", result->audit_entry_id}});
  return result;
}

}  // namespace

absl::Status CheckAnswerForm(const v1::ExecuteRequest& request) {
  if (!v1::ResultFormat_IsValid(request.result_format())) {
    return executors::InvalidArgument(
        "result_format", "enum", "result_format names no form that results can be given in", "a value of ResultFormat");
  }
  if (v1::RefusalForm_IsValid(request.refusals())) return absl::OkStatus();
  return executors::InvalidArgument("refusals", "enum", "refusals names no form that refusals can be given in",
                                    "a value of RefusalForm");
}

absl::Status ExecuteTool(const KnownCall& known, const v1::ExecuteRequest& request, security::ToolCall& call,
                         v1::ExecuteResponse& response) {
  RETURN_IF_ERROR(CheckAnswerForm(request));
  Arrive(known, call);
  FillCall(request, call);
  const InputBudget::Lease room = MakeRoom(known, call);
  CollectedOutput output;
  if (call.events == nullptr) call.events = &output;
  absl::StatusOr<security::ToolResult> result = RunCall(known, call);
  if (!result.ok()) return Refuse(known, request, call, result.status(), response);
  std::string rendered;
  if (request.result_format() != v1::RESULT_FORMAT_UNSPECIFIED && !result->confirmation.has_value()) {
    rendered = Render(known.core(), call, request, *result);
  }
  FillResponse(call, *std::move(result), response);
  if (response.has_result()) output.MoveTo(*response.mutable_result());
  if (!rendered.empty()) response.mutable_result()->set_rendered_text(std::move(rendered));
  return absl::OkStatus();
}

absl::StatusOr<security::ToolResult> RunTool(const KnownCall& known, const v1::ExecuteRequest& request,
                                             security::ToolCall& call) {
  Arrive(known, call);
  FillCall(request, call);
  const InputBudget::Lease room = MakeRoom(known, call);
  return RunCall(known, call);
}

absl::StatusOr<security::ToolResult> RunInternalTool(const KnownCall& known, InternalTool tool,
                                                     const v1::ExecuteRequest& request, Json arguments,
                                                     security::ToolCall& call) {
  Arrive(known, call);
  FillCall(request, call);
  call.tool_id = IdOf(tool);
  call.internal = tool;
  call.SetArguments(std::move(arguments));
  return RunCall(known, call);
}

}  // namespace toolgate::services::api
