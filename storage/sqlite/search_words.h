// Words of blocks and of queries, as the full-text index splits them.
#ifndef TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_
#define TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

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

// Splits texts as the index does. Borrows the connection, whose use must outlive it.
class WordSplitter {
 public:
  static absl::StatusOr<WordSplitter> Create(Connection& connection);
  WordSplitter(WordSplitter&& other) noexcept;
  WordSplitter& operator=(WordSplitter&&) = delete;
  ~WordSplitter();

  // Calls `take` for each word in turn, folded to the form of the index; the word is valid during the call.
  absl::Status Split(std::string_view text, absl::FunctionRef<void(std::string_view)> take) const;

 private:
  WordSplitter(const fts5_tokenizer& tokenizer, Fts5Tokenizer* instance) : tokenizer_(tokenizer), instance_(instance) {}

  fts5_tokenizer tokenizer_;
  Fts5Tokenizer* instance_;
};

// Words that a block must contain, in the form of the index, each once.
struct SearchWords {
  std::vector<std::string> whole;
  std::string beginning;  // Of a word; empty: none.

  bool empty() const { return whole.empty() && beginning.empty(); }
  size_t size() const { return whole.size() + (beginning.empty() ? 0 : 1); }
};

// The words of a text; the last one is a prefix, unless it also occurs earlier as a whole word, which is stricter.
// INVALID_PARAMS, with a violation at "", if there are more than kMaxSearchWords.
absl::StatusOr<SearchWords> WordsOf(Connection& connection, std::string_view text);

// The word by which the index tells a workspace's blocks.
std::string WorkspaceTerm(int64_t workspace);

// An FTS5 expression for blocks of the workspace that contain every word; there must be at least one. Its first phrase
// is the workspace, the others are the words in their order.
std::string MatchExpression(int64_t workspace, const SearchWords& words);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SEARCH_WORDS_H_
