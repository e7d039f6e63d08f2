// Maximum number of things that one change touches.
//
// Every other mutation waits for a change to be made, so its length is bounded, beside the size of its undo entry
// (undo_bound.h). A hundred thousand blocks are deleted, or brought back, in about two seconds.
#ifndef TOOLGATE_STORAGE_CHANGE_BOUND_H_
#define TOOLGATE_STORAGE_CHANGE_BOUND_H_

#include <cstdint>

#include "absl/status/status.h"
#include "storage/undo_bound.h"

namespace toolgate::storage {

// Blocks, links, documents and effects together, each counted once. The undo of one change is not bounded by it, since
// that was within the bound; that of several changes together is.
inline constexpr int64_t kMaxChangedThings = 100'000;

// QUOTA_EXCEEDED (ToolError), which a retry cannot fix, with the fact maxChanges.
absl::Status TooMuchInOneChange();
// OK, or the same error about a deletion.
absl::Status CheckChangeFits(const DeletionSize& size, const Block& block);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_CHANGE_BOUND_H_
