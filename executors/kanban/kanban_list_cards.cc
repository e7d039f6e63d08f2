#include "executors/kanban/kanban_list_cards.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/listing_total.h"
#include "executors/kanban/boards.h"
#include "executors/planner/find_items.h"
#include "executors/planner/texts.h"
#include "executors/workspace/tasks.h"

namespace toolgate::executors::kanban {
namespace {

using planner::kMaxItems;
using storage::Block;

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

struct PlacedCard {
  Block card;
  int64_t position = 0;
};

// Boards whose cards are requested.
absl::StatusOr<std::vector<Block>> WantedBoards(storage::ReadView& view, std::string_view board_id) {
  if (board_id.empty()) {
    ASSIGN_OR_RETURN(storage::BlockPage page, FindBoards(view, kMaxItems));
    return std::move(page.blocks);
  }
  ASSIGN_OR_RETURN(Block board, blocks::GetBlockOfType(view, board_id, {blocks::kBoard}, "/boardId"));
  return std::vector<Block>{std::move(board)};
}

// At most kMaxItems cards, ordered by column and by position in the column.
absl::Status AddCards(const ToolContext& context, storage::ReadView& view, const Block& board,
                      std::vector<PlacedCard>& cards) {
  ASSIGN_OR_RETURN(const storage::BlockPage columns, FindColumns(view, board.id, kAll));
  for (const Block& column : columns.blocks) {
    RETURN_IF_ERROR(context.cancellation.Check());
    const int64_t room = kMaxItems - static_cast<int64_t>(cards.size());
    if (room == 0) break;
    ASSIGN_OR_RETURN(storage::BlockPage page, FindCards(view, column.id, room));
    int64_t position = 0;
    for (Block& card : page.blocks) cards.push_back({std::move(card), position++});
  }
  return absl::OkStatus();
}

absl::StatusOr<storage::BlockPage> CountCards(storage::ReadView& view, std::string_view board_id) {
  storage::BlockQuery query;
  query.types = {std::string(blocks::kCard)};
  if (!board_id.empty()) query.ancestor_id = std::string(board_id);
  query.limit = 0;
  query.count_total = true;
  query.bounded = true;
  return view.FindBlocks(query);
}

}  // namespace

absl::StatusOr<ToolOutput> KanbanListCards(ToolContext& context, storage::ReadView& view) {
  const std::string_view board_id = StringArgument(context.arguments, "boardId");
  ASSIGN_OR_RETURN(const std::vector<Block> boards, WantedBoards(view, board_id));
  std::vector<PlacedCard> cards;
  for (const Block& board : boards) {
    if (cards.size() == static_cast<size_t>(kMaxItems)) break;
    RETURN_IF_ERROR(AddCards(context, view, board, cards));
  }
  ASSIGN_OR_RETURN(const storage::BlockPage total, CountCards(view, board_id));
  workspace::TaskRenderer renderer(view, context.now, context.time_zone);
  const size_t max_characters = planner::TextShare(cards.size());
  Json list = Json::array();
  for (const PlacedCard& placed : cards) {
    RETURN_IF_ERROR(context.cancellation.Check());
    ASSIGN_OR_RETURN(Json card, renderer.Render(placed.card));
    card["position"] = placed.position;
    if (const std::string description(StringArgument(card, "description")); !description.empty()) {
      planner::PutText(card, "description", description, max_characters);
    }
    list.push_back(std::move(card));
  }
  ToolOutput output;
  Json result{{"cards", std::move(list)}};
  blocks::PutTotal(total, result);
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::kanban
