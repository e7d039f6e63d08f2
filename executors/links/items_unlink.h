#ifndef TOOLGATE_EXECUTORS_LINKS_ITEMS_UNLINK_H_
#define TOOLGATE_EXECUTORS_LINKS_ITEMS_UNLINK_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::links {

// See definitions/items_unlink.json.
absl::StatusOr<ToolOutput> ItemsUnlink(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::links

#endif  // TOOLGATE_EXECUTORS_LINKS_ITEMS_UNLINK_H_
