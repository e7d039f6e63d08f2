// Registration of the tools for boards and cards.
#ifndef TOOLGATE_EXECUTORS_KANBAN_KANBAN_TOOLS_H_
#define TOOLGATE_EXECUTORS_KANBAN_KANBAN_TOOLS_H_

#include "executors/family.h"

namespace toolgate::executors::kanban {

Family KanbanFamily();

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_KANBAN_TOOLS_H_
