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
#include "storage/records.h"

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

// Lists of an undo entry as JSON. Those that it undoes; "" if it is no undo.
std::string UndoesJson(const UndoEntry& entry);
// The ids of affected blocks, and behind them the number of those left out, if there are any.
std::string AffectedJson(const UndoEntry& entry);
// Both the reverse: DATA_LOSS if they cannot be read. More ids than are shown are counted as left out, as earlier
// releases left none out.
absl::Status ReadUndoes(std::string_view json, std::vector<std::string>& undoes);
absl::Status ReadAffected(std::string_view json, UndoEntry& entry);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_UNDO_DATA_H_
