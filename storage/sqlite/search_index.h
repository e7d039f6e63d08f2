// The full-text index over blocks.
//
// A mutation does not touch it: new rows lie above the row up to which the index has read, changed and deleted ones are
// noted in search_pending. The index catches up in the background, and at the latest when somebody searches.
#ifndef TOOLGATE_STORAGE_SQLITE_SEARCH_INDEX_H_
#define TOOLGATE_STORAGE_SQLITE_SEARCH_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Blocks that are read into the index in one go, while other mutations wait.
inline constexpr int64_t kIndexStep = 256;

// What the index has yet to read to know all that was committed at one moment. What is committed later does not count,
// so that whoever works through a backlog comes to its end however many write meanwhile. All are rows of blocks.
struct SearchBacklog {
  int64_t last_new = 0;      // New blocks: up to this row. 0: none.
  int64_t last_changed = 0;  // Changed and deleted ones: up to this row, 0: none;
  int64_t changed_read = 0;  // those up to this one have been read.
  bool is_long = false;      // It was more than a step when it was measured; row numbers that went unused count too.

  bool empty() const { return last_new == 0 && last_changed == 0; }
};

// The backlog in the connection's snapshot.
absl::StatusOr<SearchBacklog> MeasureSearchBacklog(Connection& connection);

// Reads at most `limit` blocks of the backlog into the index and takes them off; the connection must be in a write
// transaction. The backlog is empty at its end.
absl::Status CatchUpSearch(Connection& connection, int64_t limit, SearchBacklog& backlog);

// Words that a block must hold, as the index has them, each once.
struct SearchWords {
  std::vector<std::string> whole;
  std::string beginning;  // Of a word; empty: none.

  bool empty() const { return whole.empty() && beginning.empty(); }
};

// The words of a text, the last one as the beginning of a word, unless it stands before as a whole one, which asks for
// more. INVALID_PARAMS, with a violation at "", when there are more than kMaxSearchWords.
absl::StatusOr<SearchWords> WordsOf(Connection& connection, std::string_view text);

// An FTS5 expression for blocks of the workspace that hold every word; there must be one.
std::string MatchExpression(int64_t workspace, const SearchWords& words);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_INDEX_H_
