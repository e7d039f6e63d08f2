#ifndef TOOLGATE_EXECUTORS_MEMORY_SAVE_MEMORY_H_
#define TOOLGATE_EXECUTORS_MEMORY_SAVE_MEMORY_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::memory {

// Replaces the caller's memory.
//
// The bound on its length is checked here and not by the argument schema. A call that layer 2 refuses has no result, so
// there would be nothing that a backend could hand on to the model; this way the answer is a result with an error,
// ready rendered, and the model can shorten its text and try again.
absl::StatusOr<ToolOutput> SaveMemory(ToolContext& context, storage::Transaction& transaction);
absl::StatusOr<Preview> PreviewSaveMemory(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_SAVE_MEMORY_H_
