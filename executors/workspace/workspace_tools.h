// The tools on blocks, tasks, databases and automations.
#ifndef TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "executors/tool.h"

namespace toolgate::executors::workspace {

// What an automation must know of its steps' tools before it runs.
struct ToolTraits {
  bool read_only = false;
  bool reversible = true;  // Undo brings everything back.
};
using TraitsOfTool = std::function<ToolTraits(std::string_view tool_id)>;

struct WorkspaceOptions {
  // Data keys of update_block whose change a person must approve first.
  std::vector<std::string> critical_fields;
  // Also answers for a tool that does not exist.
  TraitsOfTool traits_of;
};

std::vector<ToolHandlers> WorkspaceHandlers(const WorkspaceOptions& options);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_
