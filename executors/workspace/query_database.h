#ifndef TOOLGATE_EXECUTORS_WORKSPACE_QUERY_DATABASE_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_QUERY_DATABASE_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> QueryDatabase(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_QUERY_DATABASE_H_
