// Differences between two texts, line by line, in the form that people know from `diff -u`.
#ifndef TOOLGATE_COMMON_TEXT_UNIFIED_DIFF_H_
#define TOOLGATE_COMMON_TEXT_UNIFIED_DIFF_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate::text {

struct DiffOptions {
  std::string_view old_name = "before";
  std::string_view new_name = "after";
  size_t context = 3;                    // Unchanged lines around each change.
  size_t max_bytes = size_t{64} << 10;   // Of the text; longer ones are cut after a line, with a mark.
  size_t max_work = size_t{20'000'000};  // Comparisons. Beyond them, what is left is shown as replaced whole.
};

struct Diff {
  std::string text;  // Empty when the texts are equal.
  size_t added = 0;  // Lines in all, also of what was cut.
  size_t removed = 0;
  bool cut = false;
};

// Myers' algorithm in linear space: the shortest edit, unless it takes more than `max_work`. Time is bounded by
// `max_work`, memory by some words a line. Lines end with "\n"; a last one without it is marked as diff marks it.
Diff UnifiedDiff(std::string_view before, std::string_view after, const DiffOptions& options = {});

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_UNIFIED_DIFF_H_
