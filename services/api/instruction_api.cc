#include "services/api/instruction_api.h"

#include <optional>
#include <string>
#include <utility>

#include "common/json.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/internal_tool.h"
#include "executors/memory/instruction.h"
#include "executors/memory/prompt.h"
#include "security/tool_call.h"
#include "services/api/convert.h"
#include "services/api/execute_call.h"

namespace toolgate::services::api {
namespace {

using executors::memory::Instruction;

void FillInstruction(Instruction instruction, v1::Instruction& out) {
  out.set_core_instruction(std::move(instruction.core_instruction));
  out.set_memory(std::move(instruction.memory));
  out.set_memory_enabled(instruction.memory_enabled);
  out.set_db_schema(std::move(instruction.db_schema));
  if (instruction.updated_at.has_value()) SetProtoTime(*instruction.updated_at, *out.mutable_updated_at());
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

absl::StatusOr<Instruction> ReadInstructionOf(const KnownCall& known, const Caller& caller,
                                              const fibers::Cancellation& cancellation) {
  Instruction instruction;
  const absl::Status status = known.runtime().store.Read(
      caller.workspace_id, known.PatienceOf(caller, cancellation), [&](storage::ReadView& view) -> absl::Status {
        ASSIGN_OR_RETURN(instruction, executors::memory::ReadInstruction(view, caller.user_id));
        return absl::OkStatus();
      });
  if (!status.ok()) return known.core().Safe(status);
  return instruction;
}

absl::StatusOr<Instruction> AdmitAndRead(const KnownCall& known, const v1::Caller& claimed,
                                         const fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Caller caller, known.Admit(claimed));
  return ReadInstructionOf(known, caller, cancellation);
}

}  // namespace

absl::Status GetInstruction(const KnownCall& known, const v1::GetInstructionRequest& request,
                            v1::GetInstructionResponse& response, fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(Instruction instruction, AdmitAndRead(known, request.caller(), cancellation));
  FillInstruction(std::move(instruction), *response.mutable_instruction());
  return absl::OkStatus();
}

absl::Status UpdateInstruction(const KnownCall& known, const v1::UpdateInstructionRequest& request,
                               v1::UpdateInstructionResponse& response, fibers::Cancellation& cancellation) {
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
  ASSIGN_OR_RETURN(Instruction instruction, ReadInstructionOf(known, call.caller, cancellation));
  FillInstruction(std::move(instruction), *response.mutable_instruction());
  response.set_undo_entry_id(executed.result().undo_entry_id());
  response.set_replayed(executed.result().replayed());
  response.set_replay_of_another_request(executed.result().replay_of_another_request());
  return absl::OkStatus();
}

absl::Status BuildPrompt(const KnownCall& known, const v1::BuildPromptRequest& request,
                         v1::BuildPromptResponse& response, fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const Instruction instruction, AdmitAndRead(known, request.caller(), cancellation));
  std::optional<std::string> prompt = executors::memory::BuildPrompt(instruction);
  if (prompt.has_value()) response.set_prompt(*std::move(prompt));
  return absl::OkStatus();
}

}  // namespace toolgate::services::api
