// Registration of the tools for boards and cards.
#ifndef TOOLGATE_EXECUTORS_KANBAN_KANBAN_TOOLS_H_
#define TOOLGATE_EXECUTORS_KANBAN_KANBAN_TOOLS_H_

#include <vector>

#include "executors/tool.h"

namespace toolgate::executors::kanban {

std::vector<ToolHandlers> KanbanHandlers();

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_KANBAN_TOOLS_H_
