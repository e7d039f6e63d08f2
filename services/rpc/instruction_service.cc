#include "services/rpc/instruction_service.h"

#include <optional>
#include <string>
#include <utility>

#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/memory/prompt.h"
#include "services/rpc/convert.h"
#include "services/rpc/execute_call.h"
#include "services/rpc/unary_call.h"

namespace toolgate::services::rpc {
namespace {

using executors::memory::Instruction;

void FillInstruction(Instruction instruction, v1::Instruction& out) {
  out.set_core_instruction(std::move(instruction.core_instruction));
  out.set_memory(std::move(instruction.memory));
  out.set_memory_enabled(instruction.memory_enabled);
  out.set_db_schema(std::move(instruction.db_schema));
  if (instruction.updated_at.has_value()) *out.mutable_updated_at() = ToProtoTime(*instruction.updated_at);
}

v1::ExecuteRequest CallOf(const v1::UpdateInstructionRequest& request) {
  v1::ExecuteRequest call;
  *call.mutable_caller() = request.caller();
  call.set_request_id(request.request_id());
  call.set_idempotency_key(request.idempotency_key());
  call.set_confirmation_token(request.confirmation_token());
  return call;
}

Json ArgumentsOf(const v1::UpdateInstructionRequest& request) {
  Json arguments = Json::object();
  if (request.has_core_instruction()) arguments["coreInstruction"] = request.core_instruction();
  if (request.has_memory()) arguments["memory"] = request.memory();
  if (request.has_memory_enabled()) arguments["memoryEnabled"] = request.memory_enabled();
  if (request.has_db_schema()) arguments["dbSchema"] = request.db_schema();
  return arguments;
}

}  // namespace

grpc::ServerUnaryReactor* InstructionService::GetInstruction(grpc::CallbackServerContext* context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  return StartUnary<v1::GetInstructionRequest, v1::GetInstructionResponse>(
      runtime_, context, Rpc::kGetInstruction, request, response,
      [this](const KnownCall& call, const v1::GetInstructionRequest& question, v1::GetInstructionResponse& answer,
             Cancellation& cancellation) -> absl::Status {
        ASSIGN_OR_RETURN(Instruction instruction, ReadFor(call, question.caller(), cancellation));
        FillInstruction(std::move(instruction), *answer.mutable_instruction());
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* InstructionService::UpdateInstruction(grpc::CallbackServerContext* context,
                                                                const grpc::ByteBuffer* request,
                                                                grpc::ByteBuffer* response) {
  return StartUnary<v1::UpdateInstructionRequest, v1::UpdateInstructionResponse>(
      runtime_, context, Rpc::kUpdateInstruction, request, response,
      [this](const KnownCall& call, const v1::UpdateInstructionRequest& asked, v1::UpdateInstructionResponse& answer,
             Cancellation& cancellation) { return Update(call, asked, cancellation, answer); });
}

grpc::ServerUnaryReactor* InstructionService::BuildPrompt(grpc::CallbackServerContext* context,
                                                          const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::BuildPromptRequest, v1::BuildPromptResponse>(
      runtime_, context, Rpc::kBuildPrompt, request, response,
      [this](const KnownCall& call, const v1::BuildPromptRequest& question, v1::BuildPromptResponse& answer,
             Cancellation& cancellation) -> absl::Status {
        ASSIGN_OR_RETURN(const Instruction instruction, ReadFor(call, question.caller(), cancellation));
        std::optional<std::string> prompt = executors::memory::BuildPrompt(instruction);
        if (prompt.has_value()) answer.set_prompt(*std::move(prompt));
        return absl::OkStatus();
      });
}

absl::StatusOr<Instruction> InstructionService::ReadFor(const KnownCall& call, const v1::Caller& claimed,
                                                        const Cancellation& cancellation) const {
  ASSIGN_OR_RETURN(const Caller caller, call.Admit(claimed));
  return Read(call.core(), caller, cancellation);
}

absl::StatusOr<Instruction> InstructionService::Read(const Core& core, const Caller& caller,
                                                     const Cancellation& cancellation) const {
  Instruction instruction;
  const absl::Status status = runtime_.store.Read(
      caller.workspace_id, {.cancellation = &cancellation}, [&](storage::ReadView& view) -> absl::Status {
        ASSIGN_OR_RETURN(instruction, executors::memory::ReadInstruction(view, caller.user_id));
        return absl::OkStatus();
      });
  if (!status.ok()) return core.Safe(status);
  return instruction;
}

absl::Status InstructionService::Update(const KnownCall& known, const v1::UpdateInstructionRequest& request,
                                        Cancellation& cancellation, v1::UpdateInstructionResponse& response) const {
  security::ToolCall call(cancellation);
  ASSIGN_OR_RETURN(security::ToolResult result, RunInternalTool(known, executors::InternalTool::kUpdateInstruction,
                                                                CallOf(request), ArgumentsOf(request), call));
  // This RPC has no place for a tool's own failure but its status.
  if (!result.confirmation.has_value() && !result.success) return ToStatus(result.error.value_or(ToolError()));
  v1::ExecuteResponse executed;
  FillResponse(call, std::move(result), executed);
  if (executed.has_confirmation_request()) {
    *response.mutable_confirmation_request() = std::move(*executed.mutable_confirmation_request());
    return absl::OkStatus();
  }
  // As it stands now, not as the tool answered: a stored answer may be a day old.
  ASSIGN_OR_RETURN(Instruction instruction, Read(known.core(), call.caller, cancellation));
  FillInstruction(std::move(instruction), *response.mutable_instruction());
  response.set_undo_entry_id(executed.result().undo_entry_id());
  response.set_replayed(executed.result().replayed());
  return absl::OkStatus();
}

}  // namespace toolgate::services::rpc
