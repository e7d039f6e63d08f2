// Words of a query.
#ifndef TOOLGATE_STORAGE_SEARCH_SEARCH_WORDS_H_
#define TOOLGATE_STORAGE_SEARCH_SEARCH_WORDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::storage::search {

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

}  // namespace toolgate::storage::search

#endif  // TOOLGATE_STORAGE_SEARCH_SEARCH_WORDS_H_
