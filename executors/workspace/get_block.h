#ifndef TOOLGATE_EXECUTORS_WORKSPACE_GET_BLOCK_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_GET_BLOCK_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

// Maximum number of blocks and bytes in a result; a longer one is cut and has "truncated": true.
inline constexpr int64_t kMaxBlocksOfGetBlock = 1'000;
inline constexpr size_t kMaxBytesOfGetBlock = size_t{8} << 20;

absl::StatusOr<ToolOutput> GetBlock(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_GET_BLOCK_H_
