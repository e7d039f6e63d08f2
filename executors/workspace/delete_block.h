#ifndef TOOLGATE_EXECUTORS_WORKSPACE_DELETE_BLOCK_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_DELETE_BLOCK_H_

#include <optional>

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> DeleteBlock(ToolContext& context, storage::Transaction& transaction);
absl::StatusOr<Preview> PreviewDeleteBlock(ToolContext& context, storage::ReadView& view);
absl::StatusOr<std::optional<Rehearsal>> RehearseDeleteBlock(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_DELETE_BLOCK_H_
