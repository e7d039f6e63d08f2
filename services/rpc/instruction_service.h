// toolgate.v1.InstructionService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_INSTRUCTION_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_INSTRUCTION_SERVICE_H_

#include "executors/memory/instruction.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/instruction_service.grpc.pb.h"

namespace toolgate::services::rpc {

// Reads are answered from the store; a change is a call of the internal tool "update_instruction" and goes through the
// whole pipeline. Thread-safe.
class InstructionService final : public v1::InstructionService::CallbackService {
 public:
  // Borrows `runtime`.
  explicit InstructionService(RpcRuntime& runtime) : runtime_(runtime) {}

  grpc::ServerUnaryReactor* GetInstruction(grpc::CallbackServerContext* context,
                                           const v1::GetInstructionRequest* request,
                                           v1::GetInstructionResponse* response) override;
  grpc::ServerUnaryReactor* UpdateInstruction(grpc::CallbackServerContext* context,
                                              const v1::UpdateInstructionRequest* request,
                                              v1::UpdateInstructionResponse* response) override;
  grpc::ServerUnaryReactor* BuildPrompt(grpc::CallbackServerContext* context, const v1::BuildPromptRequest* request,
                                        v1::BuildPromptResponse* response) override;

 private:
  // The errors are safe to show.
  absl::StatusOr<executors::memory::Instruction> ReadFor(Rpc rpc, const v1::Caller& claimed,
                                                         const grpc::ServerContextBase& context,
                                                         const Cancellation& cancellation) const;
  absl::StatusOr<executors::memory::Instruction> Read(const Caller& caller, const Cancellation& cancellation) const;
  absl::Status Update(const v1::UpdateInstructionRequest& request, const grpc::ServerContextBase& context,
                      Cancellation& cancellation, v1::UpdateInstructionResponse& response) const;

  RpcRuntime& runtime_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_INSTRUCTION_SERVICE_H_
