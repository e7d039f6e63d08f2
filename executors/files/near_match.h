// Finds the place that was probably meant by a text that was not found.
#ifndef TOOLGATE_EXECUTORS_FILES_NEAR_MATCH_H_
#define TOOLGATE_EXECUTORS_FILES_NEAR_MATCH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::files {

struct NearMatch {
  size_t line = 0;         // Of its first line, from 1.
  std::string text;        // Its lines, cut where they are many or long.
  std::string difference;  // For people: "line 7 has other blanks".
};

// The lines of `text` that are most like those of `wanted`; nothing when none is. Looks at a bounded number of lines
// and pairs, so that the time is linear in the texts.
std::optional<NearMatch> FindNearest(std::string_view text, std::string_view wanted);

// Numbers of the lines, from 1, in which the occurrences of `wanted` begin, without overlaps; at most `limit`. The
// count of all is put into `count`.
std::vector<size_t> LinesOfMatches(std::string_view text, std::string_view wanted, size_t limit, size_t& count);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_NEAR_MATCH_H_
