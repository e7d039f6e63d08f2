#ifndef TOOLGATE_EXECUTORS_LINKS_ITEMS_LIST_LINKS_H_
#define TOOLGATE_EXECUTORS_LINKS_ITEMS_LIST_LINKS_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::links {

// See definitions/items_list_links.json.
absl::StatusOr<ToolOutput> ItemsListLinks(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::links

#endif  // TOOLGATE_EXECUTORS_LINKS_ITEMS_LIST_LINKS_H_
