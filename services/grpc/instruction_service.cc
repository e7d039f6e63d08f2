#include "services/grpc/instruction_service.h"

#include "services/api/instruction_api.h"
#include "services/grpc/unary_call.h"

namespace toolgate::services::grpc {

::grpc::ServerUnaryReactor* InstructionService::GetInstruction(::grpc::CallbackServerContext* context,
                                                               const ::grpc::ByteBuffer* request,
                                                               ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kGetInstruction, *request, *response, api::GetInstruction);
}

::grpc::ServerUnaryReactor* InstructionService::UpdateInstruction(::grpc::CallbackServerContext* context,
                                                                  const ::grpc::ByteBuffer* request,
                                                                  ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kUpdateInstruction, *request, *response, api::UpdateInstruction);
}

::grpc::ServerUnaryReactor* InstructionService::BuildPrompt(::grpc::CallbackServerContext* context,
                                                            const ::grpc::ByteBuffer* request,
                                                            ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kBuildPrompt, *request, *response, api::BuildPrompt);
}

}  // namespace toolgate::services::grpc
