#include "executors/kanban/kanban_move_card.h"

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/kanban/card_json.h"
#include "executors/kanban/card_places.h"

namespace toolgate::executors::kanban {

using storage::Block;

absl::StatusOr<ToolOutput> KanbanMoveCard(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(const Block card, blocks::GetBlockOfType(transaction, StringArgument(arguments, "cardId"),
                                                            {blocks::kCard}, "/cardId"));
  ASSIGN_OR_RETURN(const Block column, blocks::GetBlockOfType(transaction, StringArgument(arguments, "columnId"),
                                                              {blocks::kColumn}, "/columnId"));
  ASSIGN_OR_RETURN(const CardPlace place,
                   PlaceInColumn(transaction, column.id, card.id, OptionalInteger(arguments, "position")));
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(const Block moved, writer.Move(card, column.id, place.among_siblings));
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(column));
  return WrittenCard(context, transaction, moved, place.position, "Moved",
                     absl::StrCat(" to column ", text::Quoted(blocks::TitleOf(column.type, data))));
}

}  // namespace toolgate::executors::kanban
