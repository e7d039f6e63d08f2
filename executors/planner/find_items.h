// Finding notes and journal entries.
#ifndef TOOLGATE_EXECUTORS_PLANNER_FIND_ITEMS_H_
#define TOOLGATE_EXECUTORS_PLANNER_FIND_ITEMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/query.h"
#include "storage/store.h"

namespace toolgate::executors::planner {

// The most items of a list that has no limit of its own among its arguments.
inline constexpr int64_t kMaxItems = 1'000;

// All conditions must hold.
struct ItemQuery {
  std::string type;
  std::string words;                     // All must occur, as SearchQuery::text says. Empty: any.
  std::optional<std::string> parent_id;  // Only those directly below it.
  std::vector<storage::Filter> conditions;
  std::vector<storage::Sort> order;  // Empty: best first with words, else the newest first.
};

// Returns at most kMaxItems hits; without words each has the score 1. INVALID_PARAMS at /q, the argument of both lists
// that holds the words, when there are too many.
absl::StatusOr<storage::SearchPage> FindItems(storage::ReadView& view, const ItemQuery& query);

// Has a tag equal to `tag` but for case.
storage::Filter HasTag(std::string_view tag);

}  // namespace toolgate::executors::planner

#endif  // TOOLGATE_EXECUTORS_PLANNER_FIND_ITEMS_H_
