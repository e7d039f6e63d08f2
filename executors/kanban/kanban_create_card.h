#ifndef TOOLGATE_EXECUTORS_KANBAN_KANBAN_CREATE_CARD_H_
#define TOOLGATE_EXECUTORS_KANBAN_KANBAN_CREATE_CARD_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::kanban {

absl::StatusOr<ToolOutput> KanbanCreateCard(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_KANBAN_CREATE_CARD_H_
