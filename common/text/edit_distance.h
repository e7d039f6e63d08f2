// Distance between two names.
#ifndef TOOLGATE_COMMON_TEXT_EDIT_DISTANCE_H_
#define TOOLGATE_COMMON_TEXT_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace toolgate::text {

// Insertions, deletions, replacements and swaps of neighbours that turn `left` into `right` (optimal string alignment,
// in bytes), ignoring ASCII case, or `limit` + 1 when there are more than `limit`.
size_t EditDistance(std::string_view left, std::string_view right, size_t limit);

// The name that someone who wrote `written` most likely meant: the nearest within a third of its length, ignoring case,
// "_" and "-". Empty when none is near. The first wins among equals.
std::string_view NearestName(std::string_view written, const std::vector<std::string_view>& known);

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_EDIT_DISTANCE_H_
