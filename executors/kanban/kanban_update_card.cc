#include "executors/kanban/kanban_update_card.h"

#include <cstdint>
#include <string>
#include <vector>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/kanban/card_json.h"
#include "executors/kanban/card_places.h"
#include "executors/planner/item_data.h"

namespace toolgate::executors::kanban {

using storage::Block;

absl::StatusOr<ToolOutput> KanbanUpdateCard(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  const std::vector<std::string> names = {"title", "description", "dueDate", "eventLinks"};
  ASSIGN_OR_RETURN(const Block card, blocks::GetBlockOfType(transaction, StringArgument(arguments, "cardId"),
                                                            {blocks::kCard}, "/cardId"));
  RETURN_IF_ERROR(planner::CheckChanges(arguments, names));
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  const absl::StatusOr<Block> updated = writer.Update(card, planner::PatchOf(arguments, names));
  if (!updated.ok()) return planner::OfArguments(updated.status());
  ASSIGN_OR_RETURN(const int64_t position, PositionOf(transaction, *updated));
  return WrittenCard(context, transaction, *updated, position, "Updated");
}

}  // namespace toolgate::executors::kanban
