// RPCs of toolgate.v1.InstructionService.
#ifndef TOOLGATE_SERVICES_API_INSTRUCTION_API_H_
#define TOOLGATE_SERVICES_API_INSTRUCTION_API_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "toolgate/v1/instruction_service.pb.h"

namespace toolgate::services::api {

// Reads are answered from the store; a change is a call of the internal tool "update_instruction" and goes through the
// whole pipeline. May block; a status is safe to show. Thread-safe.

absl::Status GetInstruction(const KnownCall& known, const v1::GetInstructionRequest& request,
                            v1::GetInstructionResponse& response, fibers::Cancellation& cancellation);
absl::Status UpdateInstruction(const KnownCall& known, const v1::UpdateInstructionRequest& request,
                               v1::UpdateInstructionResponse& response, fibers::Cancellation& cancellation);
absl::Status BuildPrompt(const KnownCall& known, const v1::BuildPromptRequest& request,
                         v1::BuildPromptResponse& response, fibers::Cancellation& cancellation);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_INSTRUCTION_API_H_
