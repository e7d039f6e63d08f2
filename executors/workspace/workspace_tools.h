// Registration of the tools for blocks, tasks, databases and automations.
#ifndef TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "executors/family.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

// Properties of a step's tool that an automation needs before it runs.
struct ToolTraits {
  bool read_only = false;
  bool reversible = true;  // Undo reverses the whole effect.
  // Waits for something outside of the store, or works for long before it writes, so that no transaction contains it.
  bool settles_alone = false;
};
using TraitsOfTool = std::function<ToolTraits(std::string_view tool_id)>;

struct WorkspaceOptions {
  // Data keys of update_block whose change needs approval.
  std::vector<std::string> critical_fields;
  // Also returns a value for a tool that does not exist.
  TraitsOfTool traits_of;
};

Family WorkspaceFamily();

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_WORKSPACE_TOOLS_H_
