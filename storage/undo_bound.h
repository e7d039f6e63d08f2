// Maximum size of an undo entry, and how its size is counted.
//
// An entry is one value of a row, which SQLite limits to 1e9 bytes. Long before that it affects all callers: it is
// written in the transaction of its change, for which every other mutation waits, and until then the states in it are
// in memory. 256 MiB stays well below the limit, and has room for the deletion of 255 blocks of the largest size (1
// MiB), or of some hundred thousand of a usual one.
//
// A change that would need more fails with everything taken back (storage/transaction.cc); none is kept without its
// undo.
#ifndef TOOLGATE_STORAGE_UNDO_BOUND_H_
#define TOOLGATE_STORAGE_UNDO_BOUND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "storage/block.h"
#include "storage/changes.h"
#include "storage/link.h"

namespace toolgate::storage {

inline constexpr int64_t kMaxUndoBytes = int64_t{256} << 20;

// Changes that a dry run makes in a transaction, which every other mutation waits for. The time of some hundred calls.
inline constexpr int64_t kMaxTriedChanges = 1000;

// Size of one state of a thing besides its content: ids, users, times and rank. Constant, so that the undo of a change
// never counts more than the change.
inline constexpr int64_t kUndoRowBytes = 512;

inline int64_t UndoBytes(const Block& block) { return kUndoRowBytes + static_cast<int64_t>(block.data.size()); }
inline int64_t UndoBytes(const Link&) { return kUndoRowBytes; }
inline int64_t UndoBytes(const Document& document) {
  return kUndoRowBytes + static_cast<int64_t>(document.json.size());
}
inline int64_t UndoBytes(const Effect& effect) { return kUndoRowBytes + static_cast<int64_t>(effect.payload.size()); }

template <typename Thing>
int64_t UndoBytes(const Delta<Thing>& delta) {
  return (delta.before ? UndoBytes(*delta.before) : 0) + (delta.after ? UndoBytes(*delta.after) : 0);
}

int64_t UndoBytes(const Changes& changes);

// Of a deletion: what it would put into an undo entry, but for links and what follows from their going.
struct DeletionSize {
  int64_t blocks = 0;            // Blocks below that are deleted too, or move up.
  std::vector<std::string> ids;  // Ids of the first of them, top down.
  int64_t undo_bytes = 0;
  bool counted_out = true;     // False: counting stopped when there was too much.
  int64_t max_undo_bytes = 0;  // The limit.

  bool fits() const { return undo_bytes <= max_undo_bytes; }
};

// "256 MiB", "2.3 GiB".
std::string FormatBytes(int64_t bytes);

// QUOTA_EXCEEDED (ToolError), which a retry cannot fix: a change that needs more than `max_bytes`.
absl::Status TooMuchToUndo(int64_t max_bytes);
// QUOTA_EXCEEDED: a dry run in which more than `max_changed` things would change.
absl::Status TooMuchToTry(int64_t max_changed);
// OK, or the error of TooMuchToUndo about a deletion.
absl::Status CheckUndoFits(const DeletionSize& size, const Block& block);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_UNDO_BOUND_H_
