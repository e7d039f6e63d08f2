// Tool calls on behalf of RPCs.
#ifndef TOOLGATE_SERVICES_API_EXECUTE_CALL_H_
#define TOOLGATE_SERVICES_API_EXECUTE_CALL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/internal_tool.h"
#include "security/tool_call.h"
#include "services/api/known_call.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// Runs `request` through the pipeline of the call's core and fills `response`, which a refusal fills as well if the
// request asks for it as a result. INVALID_PARAMS as CheckAnswerForm. The status is safe to show.
absl::Status ExecuteTool(const KnownCall& known, const v1::ExecuteRequest& request, security::ToolCall& call,
                         v1::ExecuteResponse& response);

// Runs `request` through the pipeline of the call's core, for a caller that renders the result itself: the forms that
// the request asks for are not read. A refusal's status is safe to show.
absl::StatusOr<security::ToolResult> RunTool(const KnownCall& known, const v1::ExecuteRequest& request,
                                             security::ToolCall& call);

// Runs an internal tool for an RPC of its own: `request` says all but the tool and the arguments. A refusal's status is
// safe to show.
absl::StatusOr<security::ToolResult> RunInternalTool(const KnownCall& known, executors::InternalTool tool,
                                                     const v1::ExecuteRequest& request, Json arguments,
                                                     security::ToolCall& call);

// INVALID_PARAMS when the request asks for a form of results or refusals that there is not.
absl::Status CheckAnswerForm(const v1::ExecuteRequest& request);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_EXECUTE_CALL_H_
