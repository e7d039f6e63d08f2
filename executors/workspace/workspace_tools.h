// The tools on blocks, tasks, databases and automations.
#ifndef TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "executors/tool.h"

namespace toolgate::executors::workspace {

struct WorkspaceOptions {
  // Data keys of update_block whose change a person must approve first.
  std::vector<std::string> critical_fields;
  // Whether a tool only reads; false for an unknown one. Tells which automations have side effects.
  std::function<bool(std::string_view tool_id)> is_read_only;
};

std::vector<ToolHandlers> WorkspaceHandlers(const WorkspaceOptions& options);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_
