// toolgate.v1.InstructionService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_INSTRUCTION_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_INSTRUCTION_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "executors/memory/instruction.h"
#include "services/rpc/known_call.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/instruction_service.grpc.pb.h"

namespace toolgate::services::rpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using InstructionServiceOfBytes = v1::InstructionService::WithRawCallbackMethod_GetInstruction<
    v1::InstructionService::WithRawCallbackMethod_UpdateInstruction<
        v1::InstructionService::WithRawCallbackMethod_BuildPrompt<v1::InstructionService::Service>>>;

// Reads are answered from the store; a change is a call of the internal tool "update_instruction" and goes through the
// whole pipeline. Thread-safe.
class InstructionService final : public InstructionServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit InstructionService(RpcRuntime& runtime) : runtime_(runtime) {}

  grpc::ServerUnaryReactor* GetInstruction(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* UpdateInstruction(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* BuildPrompt(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;

 private:
  // The errors are safe to show.
  absl::StatusOr<executors::memory::Instruction> ReadFor(const KnownCall& call, const v1::Caller& claimed,
                                                         const Cancellation& cancellation) const;
  absl::StatusOr<executors::memory::Instruction> Read(const Core& core, const Caller& caller,
                                                      const Cancellation& cancellation) const;
  absl::Status Update(const KnownCall& known, const v1::UpdateInstructionRequest& request, Cancellation& cancellation,
                      v1::UpdateInstructionResponse& response) const;

  RpcRuntime& runtime_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_INSTRUCTION_SERVICE_H_
