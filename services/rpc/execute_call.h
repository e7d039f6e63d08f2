// Running a tool call for the RPCs Execute, ExecuteStream, Undo and ReadResult, and for others that have a tool of
// their own.
#ifndef TOOLGATE_SERVICES_RPC_EXECUTE_CALL_H_
#define TOOLGATE_SERVICES_RPC_EXECUTE_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::rpc {

// Runs `request` through the pipeline of the present core and fills `response`. The status is safe to show.
absl::Status ExecuteTool(RpcRuntime& runtime, const grpc::ServerContextBase& context, const v1::ExecuteRequest& request,
                         security::ToolCall& call, v1::ExecuteResponse& response);

// Runs an internal tool for an RPC of its own: `request` says all but the arguments. A refusal's status is safe to
// show.
absl::StatusOr<security::ToolResult> RunInternalTool(RpcRuntime& runtime, const grpc::ServerContextBase& context,
                                                     const v1::ExecuteRequest& request, Json arguments,
                                                     security::ToolCall& call);

// An undo, which is a call of the internal tool "undo".
absl::Status ExecuteUndo(RpcRuntime& runtime, const grpc::ServerContextBase& context, const v1::UndoRequest& request,
                         security::ToolCall& call, v1::UndoResponse& response);

// The next part of a result that was cut, which is a call of the internal tool "read_result".
absl::Status ExecuteReadResult(RpcRuntime& runtime, const grpc::ServerContextBase& context,
                               const v1::ReadResultRequest& request, security::ToolCall& call,
                               v1::ReadResultResponse& response);

// The events of a call, on a worker thread.
grpc::ServerWriteReactor<v1::ExecuteStreamResponse>* StartExecuteStream(RpcRuntime& runtime,
                                                                        grpc::CallbackServerContext& context,
                                                                        const v1::ExecuteRequest& request);

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_EXECUTE_CALL_H_
