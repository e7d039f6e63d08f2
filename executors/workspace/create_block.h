#ifndef TOOLGATE_EXECUTORS_WORKSPACE_CREATE_BLOCK_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_CREATE_BLOCK_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> CreateBlock(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_CREATE_BLOCK_H_
