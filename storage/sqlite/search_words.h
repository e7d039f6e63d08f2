// Words of blocks and of queries, in the terms of the full-text index.
#ifndef TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_
#define TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::storage::sqlite {

// SQLite's interface for tokenizers and functions of FTS5; nullptr if SQLite was built without it.
fts5_api* Fts5Of(sqlite3* db);

// The texts of a block that are searched.
struct BlockText {
  std::string title;  // The part that people see first.
  std::string body;
};

// `data`: a block's. Nothing of data that is no JSON object.
BlockText TextOf(std::string_view data);

// Words that a block must contain, in the form of the index, each once.
struct SearchWords {
  std::vector<std::string> whole;
  std::string beginning;  // Of a word; empty: none.

  bool empty() const { return whole.empty() && beginning.empty(); }
  size_t size() const { return whole.size() + (beginning.empty() ? 0 : 1); }
};

// The words of a text; the last one is a prefix, unless it also occurs earlier as a whole word, which is stricter.
// INVALID_PARAMS, with a violation at "", if there are more than kMaxSearchWords.
absl::StatusOr<SearchWords> WordsOf(std::string_view text);

// The index has the words of each workspace apart, so that a search costs what its own workspace has: a word of it is a
// term that begins with its number. The terms of a text, with blanks between them.
std::string TermsOf(int64_t workspace, std::string_view text);

// An FTS5 expression for blocks of the workspace that contain every word; there must be at least one. Its phrases are
// the words in their order.
std::string MatchExpression(int64_t workspace, const SearchWords& words);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_
