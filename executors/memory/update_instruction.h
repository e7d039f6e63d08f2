#ifndef TOOLGATE_EXECUTORS_MEMORY_UPDATE_INSTRUCTION_H_
#define TOOLGATE_EXECUTORS_MEMORY_UPDATE_INSTRUCTION_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::memory {

// Changes the caller's instruction. Only the RPC UpdateInstruction calls this tool; as a tool, the change passes every
// layer, is audited, and can be undone. Models cannot call it, and so cannot turn the memory tools on.
absl::StatusOr<ToolOutput> UpdateInstruction(ToolContext& context, storage::Transaction& transaction);
absl::StatusOr<Preview> PreviewUpdateInstruction(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_UPDATE_INSTRUCTION_H_
