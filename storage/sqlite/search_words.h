// Words of blocks and of queries, in the terms of the full-text index.
#ifndef TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_
#define TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/search/block_text.h"
#include "storage/search/search_words.h"

namespace toolgate::storage::sqlite {

// SQLite's interface for tokenizers and functions of FTS5; nullptr if SQLite was built without it.
fts5_api* Fts5Of(sqlite3* db);

using search::BlockText;
using search::SearchWords;
using search::TextOf;
using search::WordsOf;

// The index has the words of each workspace apart, so that a search costs what its own workspace has: a word of it is a
// term that begins with its number. The terms of a text, with blanks between them.
std::string TermsOf(int64_t workspace, std::string_view text);

// The term of one word.
std::string TermOf(int64_t workspace, std::string_view word);

// An FTS5 expression for blocks of the workspace that contain every whole word and one of `completions` of the
// beginning, if there is one; then that must not be empty. Its phrases are the words in their order.
std::string MatchExpression(int64_t workspace, const SearchWords& words, const std::vector<std::string>& completions);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_
