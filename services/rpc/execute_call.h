// Running a tool call for the RPCs Execute, ExecuteStream, Undo and ReadResult, and for others that have a tool of
// their own.
#ifndef TOOLGATE_SERVICES_RPC_EXECUTE_CALL_H_
#define TOOLGATE_SERVICES_RPC_EXECUTE_CALL_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "services/rpc/known_call.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::rpc {

// Runs `request` through the pipeline of the call's core and fills `response`. The status is safe to show.
absl::Status ExecuteTool(const KnownCall& known, const v1::ExecuteRequest& request, security::ToolCall& call,
                         v1::ExecuteResponse& response);

// Runs an internal tool for an RPC of its own: `request` says all but the tool and the arguments. A refusal's status is
// safe to show.
absl::StatusOr<security::ToolResult> RunInternalTool(const KnownCall& known, executors::InternalTool tool,
                                                     const v1::ExecuteRequest& request, Json arguments,
                                                     security::ToolCall& call);

// An undo.
absl::Status ExecuteUndo(const KnownCall& known, const v1::UndoRequest& request, security::ToolCall& call,
                         v1::UndoResponse& response);

// The next part of a result that was cut.
absl::Status ExecuteReadResult(const KnownCall& known, const v1::ReadResultRequest& request, security::ToolCall& call,
                               v1::ReadResultResponse& response);

// INVALID_PARAMS when the request asks for a form of results that there is not.
absl::Status CheckResultFormat(const v1::ExecuteRequest& request);

// The events of a call, on a worker thread. `request` are the bytes of an ExecuteStreamRequest; gRPC's, until the
// call's end.
grpc::ServerWriteReactor<grpc::ByteBuffer>* StartExecuteStream(RpcRuntime& runtime,
                                                               grpc::CallbackServerContext& context,
                                                               const grpc::ByteBuffer& request);

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_EXECUTE_CALL_H_
