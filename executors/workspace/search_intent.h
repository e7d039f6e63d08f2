// What a search query asks for beside words: "overdue tasks", "high priority", "due this week", "assigned to ann".
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
  std::string text;                       // The words that remain to be searched.
  std::vector<std::string> types;         // Block types that the intents are about; empty: none was found.
  std::optional<storage::Filter> filter;  // Unset: none was found.
};

// Who asks, and when.
struct SearchPerspective {
  absl::Time now;
  absl::TimeZone zone;
  std::string_view user_id;  // Who "me" and "my" are.
};

// Understands, in English and without regard to case:
//   overdue, past due                          due before now and not done
//   due DATE, due on DATE, due by DATE, due before DATE, with DATE as in common/dates.h
//   due this week | next week | this month | next month    (weeks run from Monday to Sunday)
//   due … or …: several of these dates and periods
//   high priority, priority high, high-priority, urgent tasks
//   assigned to NAME, assigned to me, assigned to anyone, my tasks, my overdue tasks, unassigned tasks
//   with a word for tasks in the query: done, completed, finished, open, incomplete, unfinished, pending, in progress,
//   to do
//   not, isn't (or another …n't) or without before any of these: all but those
//   or between two of these: one of them is enough; without it all must hold
// "tasks" means todos and cards, "todos" and "cards" one of them; a query of nothing but such a word lists them.
// A query that has other words too is understood so only when it has both an intent and a word for tasks. Any other
// query is text as a whole. Filler words (all, the, show, me …) are dropped only beside an intent.
SearchIntent ParseSearchIntent(std::string_view query, const SearchPerspective& perspective);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_SEARCH_INTENT_H_
