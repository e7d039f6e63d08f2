#include "storage/search/search_words.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "storage/query.h"
#include "storage/search/words.h"

namespace toolgate::storage::search {
namespace {

absl::Status TooManyWords(size_t count) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("the text to look for has ", count, " different words, and a search takes at most ",
                               kMaxSearchWords, ", all of which must occur; name those that matter");
  error.violations.push_back({"", "maxWords", absl::StrCat("at most ", kMaxSearchWords, " different words"),
                              absl::StrCat(count, " different words")});
  return ToStatus(error);
}

}  // namespace

absl::StatusOr<SearchWords> WordsOf(std::string_view text) {
  std::vector<std::string> split;
  SplitWords(text, [&](std::string_view word) { split.emplace_back(word); });
  SearchWords words;
  absl::flat_hash_set<std::string_view> known;
  for (size_t i = 0; i < split.size(); ++i) {
    if (!known.insert(split[i]).second) continue;
    if (i + 1 < split.size()) {
      words.whole.push_back(split[i]);
    } else {
      words.beginning = split[i];
    }
  }
  if (known.size() > kMaxSearchWords) return TooManyWords(known.size());
  return words;
}

}  // namespace toolgate::storage::search
