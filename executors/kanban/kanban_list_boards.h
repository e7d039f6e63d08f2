#ifndef TOOLGATE_EXECUTORS_KANBAN_KANBAN_LIST_BOARDS_H_
#define TOOLGATE_EXECUTORS_KANBAN_KANBAN_LIST_BOARDS_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::kanban {

absl::StatusOr<ToolOutput> KanbanListBoards(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_KANBAN_LIST_BOARDS_H_
