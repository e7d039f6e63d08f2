// Converts a transaction's changes to the bytes of an undo entry, and back.
#ifndef TOOLGATE_STORAGE_UNDO_DATA_H_
#define TOOLGATE_STORAGE_UNDO_DATA_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "storage/changes.h"

namespace toolgate::storage {

// A serialised toolgate.internal.v1.UndoData. Made row by row, so that no second copy of the changes is needed.
absl::StatusOr<std::string> SerializeChanges(const Changes& changes);

// DATA_LOSS if `bytes` do not come from SerializeChanges.
absl::StatusOr<Changes> ParseChanges(std::string_view bytes);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_UNDO_DATA_H_
