// Filters in a search query, in words: "overdue tasks", "high priority", "due this week", "assigned to ann".
#ifndef TOOLGATE_EXECUTORS_WORKSPACE_SEARCH_INTENT_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_SEARCH_INTENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "storage/query.h"

namespace toolgate::executors::workspace {

struct SearchIntent {
  std::string text;                       // Remaining words to search for.
  std::vector<std::string> types;         // Block types of the intents; empty if none was found.
  std::optional<storage::Filter> filter;  // Unset if none was found.
};

// Caller and time of a query.
struct SearchPerspective {
  absl::Time now;
  absl::TimeZone zone;
  std::string_view user_id;  // User that "me" and "my" refer to.
};

// Recognises these phrases, in English and ignoring case:
//   overdue, past due                          due before now and not done
//   due DATE, due on DATE, due by DATE, due before DATE, with DATE as in common/dates.h
//   due this week | next week | this month | next month    (weeks run from Monday to Sunday)
//   due … or …: several of these dates and periods
//   high priority, priority high, high-priority, urgent tasks
//   assigned to NAME, assigned to me, assigned to anyone, my tasks, my overdue tasks, unassigned tasks
//   with a word for tasks in the query: done, completed, finished, open, incomplete, unfinished, pending, in progress,
//   to do
//   not, isn't (or another …n't) or without before any of these: negation
//   or between two of these: one must hold; without it, all must hold
// "tasks" means todos and cards, "todos" and "cards" one of them; a query with only such a word lists them.
// In a query with other words, intents are recognised only if there is also a word for tasks. Any other query is plain
// text. Filler words (all, the, show, me …) are dropped only in queries with an intent.
SearchIntent ParseSearchIntent(std::string_view query, const SearchPerspective& perspective);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_SEARCH_INTENT_H_
