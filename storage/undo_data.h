// Converts a transaction's changes to the bytes of an undo entry, and back.
#ifndef TOOLGATE_STORAGE_UNDO_DATA_H_
#define TOOLGATE_STORAGE_UNDO_DATA_H_

#include <google/protobuf/io/zero_copy_stream.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/changes.h"

namespace toolgate::storage {

// The bytes are a serialised toolgate.internal.v1.UndoData. They are made and read row by row, so that neither the
// bytes nor the message need to be in memory as a whole.

// Hands the bytes to `write` in pieces of some 64 KiB or one row, and returns the first error of it.
absl::Status WriteChanges(const Changes& changes, absl::FunctionRef<absl::Status(std::string_view piece)> write);
// The number of these bytes.
absl::StatusOr<int64_t> SizeOfChanges(const Changes& changes);
absl::StatusOr<std::string> SerializeChanges(const Changes& changes);

// DATA_LOSS if the bytes are no UndoData, or `bytes` fails.
absl::StatusOr<Changes> ReadChanges(google::protobuf::io::ZeroCopyInputStream& bytes);
absl::StatusOr<Changes> ParseChanges(std::string_view bytes);

// Facts about changes that need not be held for them.
struct ChangesOutline {
  int64_t things = 0;  // Blocks, links and documents.
  int64_t bytes = 0;   // UndoBytes of the changes.
  std::vector<Effect> effects;
};

// As ReadChanges.
absl::StatusOr<ChangesOutline> OutlineChanges(google::protobuf::io::ZeroCopyInputStream& bytes);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_UNDO_DATA_H_
