// toolgate.v1.ToolService on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_TOOL_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_TOOL_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/grpc/grpc_runtime.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::services::grpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using ToolServiceOfBytes =
    v1::ToolService::WithRawCallbackMethod_Execute<v1::ToolService::WithRawCallbackMethod_ExecuteStream<
        v1::ToolService::WithRawCallbackMethod_ListTools<v1::ToolService::WithRawCallbackMethod_Undo<
            v1::ToolService::WithRawCallbackMethod_ReadResult<v1::ToolService::WithRawCallbackMethod_ListUndoEntries<
                v1::ToolService::WithRawCallbackMethod_ListConfirmations<
                    v1::ToolService::WithRawCallbackMethod_DecideConfirmation<
                        v1::ToolService::WithRawCallbackMethod_WaitConfirmation<v1::ToolService::Service>>>>>>>>>;

// A tool that only does point reads runs on gRPC's own
// thread, everything else on a worker. Thread-safe.
class ToolService final : public ToolServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit ToolService(GrpcRuntime& runtime) : runtime_(runtime) {}

  ::grpc::ServerUnaryReactor* Execute(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                      ::grpc::ByteBuffer* response) override;
  ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* ExecuteStream(::grpc::CallbackServerContext* context,
                                                                const ::grpc::ByteBuffer* request) override;
  ::grpc::ServerUnaryReactor* ListTools(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                        ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* Undo(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                   ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* ReadResult(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                         ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* ListUndoEntries(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                              ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* ListConfirmations(::grpc::CallbackServerContext* context,
                                                const ::grpc::ByteBuffer* request,
                                                ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* DecideConfirmation(::grpc::CallbackServerContext* context,
                                                 const ::grpc::ByteBuffer* request,
                                                 ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* WaitConfirmation(::grpc::CallbackServerContext* context,
                                               const ::grpc::ByteBuffer* request,
                                               ::grpc::ByteBuffer* response) override;

 private:
  GrpcRuntime& runtime_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_TOOL_SERVICE_H_
