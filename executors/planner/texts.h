// Long texts in answers.
#ifndef TOOLGATE_EXECUTORS_PLANNER_TEXTS_H_
#define TOOLGATE_EXECUTORS_PLANNER_TEXTS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/json.h"

namespace toolgate::executors::planner {

// The most characters of one item's text in an answer with `items` of them: they share out 100,000 evenly, but each may
// have 300. So a single item always shows its whole text, and a long list stays readable.
size_t TextShare(size_t items);

// Sets item[name] to `text`, at most `max_characters` of it; when that is not all, also item[name + "Truncated"] to
// true.
void PutText(Json& item, const std::string& name, std::string_view text, size_t max_characters);

// "2026-03-02T09:00:00.000Z".
std::string TimeText(absl::Time time);

}  // namespace toolgate::executors::planner

#endif  // TOOLGATE_EXECUTORS_PLANNER_TEXTS_H_
