// The full-text index over blocks.
//
// A mutation does not touch it: new rows are above the last row that the index has read, changed and deleted ones are
// noted in search_pending. The index catches up in the background, and at the latest for the next search.
#ifndef TOOLGATE_STORAGE_SQLITE_SEARCH_INDEX_H_
#define TOOLGATE_STORAGE_SQLITE_SEARCH_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Number of blocks that are read into the index at once, while other mutations wait.
inline constexpr int64_t kIndexStep = 256;

// Rows of blocks that the index has yet to read to contain everything that was committed at one moment. Later commits
// do not count, so that working through a backlog comes to an end however many changes are made meanwhile.
struct SearchBacklog {
  int64_t last_new = 0;      // New blocks: up to this row. 0: none.
  int64_t last_changed = 0;  // Changed and deleted ones: up to this row, 0: none;
  int64_t changed_read = 0;  // read so far up to this row.
  bool is_long = false;      // Measured as more than one step; unused row numbers count too.

  bool empty() const { return last_new == 0 && last_changed == 0; }
};

// The backlog in the connection's snapshot.
absl::StatusOr<SearchBacklog> MeasureSearchBacklog(Connection& connection);

// Reads at most `limit` blocks of the backlog, of about a MiB of text together, into the index and removes them from
// it; the connection must be in a write transaction. At the end the backlog is empty.
absl::Status CatchUpSearch(Connection& connection, int64_t limit, SearchBacklog& backlog);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_INDEX_H_
