#include "executors/kanban/kanban_create_card.h"

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

absl::StatusOr<ToolOutput> KanbanCreateCard(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(const Block column, blocks::GetBlockOfType(transaction, StringArgument(arguments, "columnId"),
                                                              {blocks::kColumn}, "/columnId"));
  ASSIGN_OR_RETURN(const CardPlace place,
                   PlaceInColumn(transaction, column.id, "", OptionalInteger(arguments, "position")));
  const Json data = planner::DataOf(arguments, {"title", "description", "dueDate", "eventLinks"});
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  const absl::StatusOr<Block> card = writer.Create(blocks::kCard, column.id, data, place.among_siblings);
  if (!card.ok()) return planner::OfArguments(card.status());
  return WrittenCard(context, transaction, *card, place.position, "Created");
}

}  // namespace toolgate::executors::kanban
