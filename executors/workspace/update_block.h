#ifndef TOOLGATE_EXECUTORS_WORKSPACE_UPDATE_BLOCK_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_UPDATE_BLOCK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> UpdateBlock(ToolContext& context, storage::Transaction& transaction);

// Needs confirmation if the patch would change one of `critical_fields`: keys of the data, or "properties.<id>" for
// one value of a row.
absl::StatusOr<Preview> PreviewUpdateBlock(const std::vector<std::string>& critical_fields, ToolContext& context,
                                           storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_UPDATE_BLOCK_H_
