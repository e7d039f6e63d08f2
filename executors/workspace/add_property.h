#ifndef TOOLGATE_EXECUTORS_WORKSPACE_ADD_PROPERTY_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_ADD_PROPERTY_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

absl::StatusOr<ToolOutput> AddProperty(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_ADD_PROPERTY_H_
