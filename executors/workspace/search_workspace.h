#ifndef TOOLGATE_EXECUTORS_WORKSPACE_SEARCH_WORKSPACE_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_SEARCH_WORKSPACE_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> SearchWorkspace(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_SEARCH_WORKSPACE_H_
