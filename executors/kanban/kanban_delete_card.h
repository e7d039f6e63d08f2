#ifndef TOOLGATE_EXECUTORS_KANBAN_KANBAN_DELETE_CARD_H_
#define TOOLGATE_EXECUTORS_KANBAN_KANBAN_DELETE_CARD_H_

#include <optional>

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::kanban {

absl::StatusOr<ToolOutput> KanbanDeleteCard(ToolContext& context, storage::Transaction& transaction);

absl::StatusOr<Preview> PreviewKanbanDeleteCard(ToolContext& context, storage::ReadView& view);
absl::StatusOr<std::optional<Rehearsal>> RehearseKanbanDeleteCard(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_KANBAN_DELETE_CARD_H_
