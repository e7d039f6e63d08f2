// Excerpt of a text around a search's match.
#ifndef TOOLGATE_EXECUTORS_PLANNER_SNIPPET_H_
#define TOOLGATE_EXECUTORS_PLANNER_SNIPPET_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"

namespace toolgate::executors::planner {

// Cuts texts down to one line around the first of the query's words. Compares words as the search index does: ignoring
// case and accents, with the query's last word also as a prefix. Immutable.
class SnippetMaker {
 public:
  explicit SnippetMaker(std::string_view query);

  // At most about 160 characters, with "…" for omitted parts; the beginning of the text if none of the words occurs.
  std::string Make(std::string_view text) const;

 private:
  bool IsWanted(std::string_view word) const;

  absl::flat_hash_set<std::string> words_;  // Folded, like the next.
  std::string last_;
};

}  // namespace toolgate::executors::planner

#endif  // TOOLGATE_EXECUTORS_PLANNER_SNIPPET_H_
