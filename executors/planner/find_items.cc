#include "executors/planner/find_items.h"

#include "executors/arguments.h"

namespace toolgate::executors::planner {

using storage::Field;
using storage::Filter;

absl::StatusOr<storage::SearchPage> FindItems(storage::ReadView& view, const ItemQuery& query) {
  storage::SearchQuery search;
  search.text = query.words;
  search.types = {query.type};
  search.parent_id = query.parent_id;
  if (!query.conditions.empty()) search.filter = Filter::And(query.conditions);
  search.sort = query.order;
  search.limit = kMaxItems;
  absl::StatusOr<storage::SearchPage> page = view.Search(search);
  if (!page.ok()) return AtArgument(page.status(), "/q");
  return page;
}

Filter HasTag(std::string_view tag) {
  return Filter::Compare(Field::Data({"tags"}), Filter::Op::kHasLabel, std::string(tag));
}

}  // namespace toolgate::executors::planner
