#include "executors/workspace/workspace_tools.h"

#include "executors/workspace/create_block.h"
#include "executors/workspace/get_block.h"

namespace toolgate::executors::workspace {

std::vector<ToolHandlers> WorkspaceHandlers(const WorkspaceOptions& options) {
  return {
      {"create_block", WriteHandler(CreateBlock)},
      {"get_block", ReadHandler(GetBlock)},
  };
}

}  // namespace toolgate::executors::workspace
