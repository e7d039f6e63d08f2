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

// Whether the connection's snapshot holds a block that the index has not read.
absl::StatusOr<bool> IsSearchBehind(Connection& connection);

// Reads at most `limit` changed blocks into the index; the connection must be in a write transaction. Answers how many.
absl::StatusOr<int64_t> CatchUpSearch(Connection& connection, int64_t limit);

// The words of a text as the index has them.
absl::StatusOr<std::vector<std::string>> WordsOf(Connection& connection, std::string_view text);

// An FTS5 expression for blocks of the workspace that hold every word, the last one also as the beginning of a word.
std::string MatchExpression(int64_t workspace, const std::vector<std::string>& words);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_INDEX_H_
