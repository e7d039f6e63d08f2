// toolgate.v1.InstructionService on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_INSTRUCTION_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_INSTRUCTION_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/grpc/grpc_runtime.h"
#include "toolgate/v1/instruction_service.grpc.pb.h"

namespace toolgate::services::grpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using InstructionServiceOfBytes = v1::InstructionService::WithRawCallbackMethod_GetInstruction<
    v1::InstructionService::WithRawCallbackMethod_UpdateInstruction<
        v1::InstructionService::WithRawCallbackMethod_BuildPrompt<v1::InstructionService::Service>>>;

// Thread-safe.
class InstructionService final : public InstructionServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit InstructionService(GrpcRuntime& runtime) : runtime_(runtime) {}

  ::grpc::ServerUnaryReactor* GetInstruction(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                             ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* UpdateInstruction(::grpc::CallbackServerContext* context,
                                                const ::grpc::ByteBuffer* request,
                                                ::grpc::ByteBuffer* response) override;
  ::grpc::ServerUnaryReactor* BuildPrompt(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                          ::grpc::ByteBuffer* response) override;

 private:
  GrpcRuntime& runtime_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_INSTRUCTION_SERVICE_H_
