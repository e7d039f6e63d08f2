#include "executors/blocks/block_lookup.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"

namespace toolgate::executors::blocks {

absl::StatusOr<storage::Block> GetBlockOfType(storage::ReadView& view, std::string_view id,
                                              const std::vector<std::string_view>& types, std::string_view path) {
  ASSIGN_OR_RETURN(storage::Block block, view.GetBlock(id));
  if (std::find(types.begin(), types.end(), block.type) != types.end()) return block;
  const std::string wanted =
      absl::StrJoin(types, " or ", [](std::string* out, std::string_view type) { out->append(type); });
  return InvalidArgument(path, "type",
                         absl::StrCat("block ", block.id, " is ", WithArticle(block.type), "; ", ToAbsl(path.substr(1)),
                                      " must name ", WithArticle(wanted)),
                         absl::StrCat("id of ", WithArticle(wanted)), block.type);
}

}  // namespace toolgate::executors::blocks
