#ifndef TOOLGATE_EXECUTORS_MEMORY_SAVE_MEMORY_H_
#define TOOLGATE_EXECUTORS_MEMORY_SAVE_MEMORY_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::memory {

// Replaces the caller's memory.
//
// The maximum length is checked here and not by the argument schema. A call that layer 2 refuses has no result that a
// backend could pass on to the model. This way the answer is a rendered result with an error, and the model can shorten
// its text and try again.
absl::StatusOr<ToolOutput> SaveMemory(ToolContext& context, storage::Transaction& transaction);
absl::StatusOr<Preview> PreviewSaveMemory(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_SAVE_MEMORY_H_
