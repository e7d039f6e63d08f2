// Finds notes and journal entries.
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

// Maximum number of items in a list that has no argument for its own limit.
inline constexpr int64_t kMaxItems = 1'000;

// All conditions must hold.
struct ItemQuery {
  std::string type;
  std::string words;                     // All must occur, as SearchQuery::text says. Empty: any.
  std::optional<std::string> parent_id;  // Only items directly below it.
  std::vector<storage::Filter> conditions;
  std::vector<storage::Sort> order;  // Empty: best match first if there are words, else newest first.
};

// Returns at most kMaxItems hits; without words each has the score 1. INVALID_PARAMS at /q, which holds the words in
// both lists, if there are too many.
absl::StatusOr<storage::SearchPage> FindItems(storage::ReadView& view, const ItemQuery& query);

// Matches items with a tag equal to `tag`, ignoring case.
storage::Filter HasTag(std::string_view tag);

}  // namespace toolgate::executors::planner

#endif  // TOOLGATE_EXECUTORS_PLANNER_FIND_ITEMS_H_
