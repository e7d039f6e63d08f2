#ifndef TOOLGATE_EXECUTORS_MEMORY_UPDATE_INSTRUCTION_H_
#define TOOLGATE_EXECUTORS_MEMORY_UPDATE_INSTRUCTION_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::memory {

// Changes the caller's instruction, for the RPC UpdateInstruction alone: so that the change passes every layer, is
// audited, and can be undone. A model has no way to call it, hence none to turn the memory tools on.
absl::StatusOr<ToolOutput> UpdateInstruction(ToolContext& context, storage::Transaction& transaction);
absl::StatusOr<Preview> PreviewUpdateInstruction(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_UPDATE_INSTRUCTION_H_
