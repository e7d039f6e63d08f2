// Shortening of long texts in results.
#ifndef TOOLGATE_EXECUTORS_PLANNER_TEXTS_H_
#define TOOLGATE_EXECUTORS_PLANNER_TEXTS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/json.h"

namespace toolgate::executors::planner {

// Maximum number of characters of one item's text in a result with `items` items: an equal share of 100,000, but at
// least 300. So a single item always shows its whole text, and a long list stays readable.
size_t TextShare(size_t items);

// Sets item[name] to at most `max_characters` of `text`. If that is not all, also sets item[name + "Truncated"] to
// true.
void PutText(Json& item, const std::string& name, std::string_view text, size_t max_characters);

// "2026-03-02T09:00:00.000Z".
std::string TimeText(absl::Time time);

}  // namespace toolgate::executors::planner

#endif  // TOOLGATE_EXECUTORS_PLANNER_TEXTS_H_
