#include "services/api/execute_call.h"

#include <cstddef>
#include <string>
#include <utility>

#include "common/message_bounds.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "services/api/arrive.h"
#include "services/api/collected_output.h"
#include "services/api/convert.h"
#include "services/rendering/result_renderer.h"

namespace toolgate::services::api {
namespace {

using executors::InternalTool;

void Arrive(const KnownCall& known, security::ToolCall& call) {
  Arrive(known.runtime(), known.inbound(), call);
  call.principal = known.principal();
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

}  // namespace

absl::Status CheckResultFormat(const v1::ExecuteRequest& request) {
  if (v1::ResultFormat_IsValid(request.result_format())) return absl::OkStatus();
  return executors::InvalidArgument("result_format", "enum", "result_format names no form that results can be given in",
                                    "a value of ResultFormat");
}

absl::Status ExecuteTool(const KnownCall& known, const v1::ExecuteRequest& request, security::ToolCall& call,
                         v1::ExecuteResponse& response) {
  RETURN_IF_ERROR(CheckResultFormat(request));
  Arrive(known, call);
  FillCall(request, call);
  CollectedOutput output;
  if (call.events == nullptr) call.events = &output;
  absl::StatusOr<security::ToolResult> result = known.core().pipeline().Run(call);
  if (!result.ok()) return result.status();
  std::string rendered;
  if (request.result_format() != v1::RESULT_FORMAT_UNSPECIFIED && !result->confirmation.has_value()) {
    rendered = Render(known.core(), call, request, *result);
  }
  FillResponse(call, *std::move(result), response);
  if (response.has_result()) output.MoveTo(*response.mutable_result());
  if (!rendered.empty()) response.mutable_result()->set_rendered_text(std::move(rendered));
  return absl::OkStatus();
}

absl::StatusOr<security::ToolResult> RunInternalTool(const KnownCall& known, InternalTool tool,
                                                     const v1::ExecuteRequest& request, Json arguments,
                                                     security::ToolCall& call) {
  Arrive(known, call);
  FillCall(request, call);
  call.tool_id = IdOf(tool);
  call.internal = tool;
  call.SetArguments(std::move(arguments));
  return known.core().pipeline().Run(call);
}

}  // namespace toolgate::services::api
