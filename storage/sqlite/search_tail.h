// The tail of a search: changes to a workspace's blocks that the full-text index has not read. As long as they are few,
// a search looks through them itself, so that it neither waits for the writer nor makes the index write for each
// change.
#ifndef TOOLGATE_STORAGE_SQLITE_SEARCH_TAIL_H_
#define TOOLGATE_STORAGE_SQLITE_SEARCH_TAIL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Blocks that a search looks through by itself, and the bytes of all of them: a millisecond's work.
inline constexpr size_t kMaxTailBlocks = 64;
inline constexpr int64_t kMaxTailBytes = int64_t{256} << 10;
// New rows of all workspaces, and as many changed ones, among which those of one are looked for: some fifty
// milliseconds' work after a large import or deletion, for which a search would wait longer.
inline constexpr int64_t kMaxTailSpan = 131'072;

struct SearchTail {
  // Rows of the workspace's blocks to look through, in ascending order: new ones, and those that the index knows in an
  // older form.
  std::vector<int64_t> rows;
  // There is more than that, and the index should be brought up to date first.
  bool too_long = false;

  bool empty() const { return rows.empty() && !too_long; }
  bool Contains(int64_t row) const { return std::binary_search(rows.begin(), rows.end(), row); }
};

// In the connection's snapshot.
absl::StatusOr<SearchTail> FindSearchTail(Connection& connection, int64_t workspace);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_TAIL_H_
