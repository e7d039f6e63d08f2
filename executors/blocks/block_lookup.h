// Finding blocks that must be of a certain type.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_BLOCK_LOOKUP_H_
#define TOOLGATE_EXECUTORS_BLOCKS_BLOCK_LOOKUP_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// NOT_FOUND when there is no such block; INVALID_PARAMS at `path` when its type is none of `types`.
absl::StatusOr<storage::Block> GetBlockOfType(storage::ReadView& view, std::string_view id,
                                              const std::vector<std::string_view>& types, std::string_view path);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_BLOCK_LOOKUP_H_
