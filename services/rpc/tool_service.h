// toolgate.v1.ToolService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_TOOL_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_TOOL_SERVICE_H_

#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::services::rpc {

// Turns messages into pipeline calls and back, and nothing else. A tool that only does point reads runs on gRPC's own
// thread, everything else on a worker. Thread-safe.
//
// Execute takes the message's bytes and reads them itself, because gRPC's own answer to bytes that are no
// ExecuteRequest (ill-formed UTF-8 in the arguments, say) is INTERNAL without a word on what was wrong.
class ToolService final : public v1::ToolService::WithRawCallbackMethod_Execute<v1::ToolService::CallbackService> {
 public:
  // Borrows `runtime`.
  explicit ToolService(RpcRuntime& runtime) : runtime_(runtime) {}

  grpc::ServerUnaryReactor* Execute(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<v1::ExecuteStreamResponse>* ExecuteStream(grpc::CallbackServerContext* context,
                                                                     const v1::ExecuteStreamRequest* request) override;
  grpc::ServerUnaryReactor* ListTools(grpc::CallbackServerContext* context, const v1::ListToolsRequest* request,
                                      v1::ListToolsResponse* response) override;
  grpc::ServerUnaryReactor* Undo(grpc::CallbackServerContext* context, const v1::UndoRequest* request,
                                 v1::UndoResponse* response) override;
  grpc::ServerUnaryReactor* ReadResult(grpc::CallbackServerContext* context, const v1::ReadResultRequest* request,
                                       v1::ReadResultResponse* response) override;
  grpc::ServerUnaryReactor* ListUndoEntries(grpc::CallbackServerContext* context,
                                            const v1::ListUndoEntriesRequest* request,
                                            v1::ListUndoEntriesResponse* response) override;
  grpc::ServerUnaryReactor* ListConfirmations(grpc::CallbackServerContext* context,
                                              const v1::ListConfirmationsRequest* request,
                                              v1::ListConfirmationsResponse* response) override;
  grpc::ServerUnaryReactor* DecideConfirmation(grpc::CallbackServerContext* context,
                                               const v1::DecideConfirmationRequest* request,
                                               v1::DecideConfirmationResponse* response) override;

 private:
  RpcRuntime& runtime_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_TOOL_SERVICE_H_
