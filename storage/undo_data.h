// Turns what a transaction did into the bytes that an undo entry stores, and back.
#ifndef TOOLGATE_STORAGE_UNDO_DATA_H_
#define TOOLGATE_STORAGE_UNDO_DATA_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/block.h"

namespace toolgate::storage {

// A serialised toolgate.internal.v1.UndoData.
std::string SerializeDeltas(const std::vector<BlockDelta>& deltas);

// DATA_LOSS when `bytes` are not what SerializeDeltas made.
absl::StatusOr<std::vector<BlockDelta>> ParseDeltas(std::string_view bytes);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_UNDO_DATA_H_
