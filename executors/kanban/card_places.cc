#include "executors/kanban/card_places.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "common/status_macros.h"
#include "executors/blocks/block_types.h"

namespace toolgate::executors::kanban {
namespace {

using storage::Block;
using storage::Field;
using storage::Filter;

storage::BlockQuery InColumn(std::string_view column_id, int64_t limit) {
  storage::BlockQuery query;
  query.parent_id = std::string(column_id);
  query.limit = limit;
  query.count_total = limit == 0;
  return query;
}

storage::BlockQuery CardsInColumn(std::string_view column_id, int64_t limit) {
  storage::BlockQuery query = InColumn(column_id, limit);
  query.types = {std::string(blocks::kCard)};
  return query;
}

// Place of the card at `position` among all blocks in the column except `card_id`.
absl::StatusOr<int64_t> AmongSiblings(storage::ReadView& view, std::string_view column_id, std::string_view card_id,
                                      int64_t position) {
  ASSIGN_OR_RETURN(const std::vector<Block> children,
                   view.ListChildren(column_id, std::numeric_limits<int64_t>::max()));
  int64_t place = 0;
  for (const Block& child : children) {
    if (child.id == card_id) continue;
    if (child.type == blocks::kCard && position-- == 0) break;
    ++place;
  }
  return place;
}

}  // namespace

absl::StatusOr<CardPlace> PlaceInColumn(storage::ReadView& view, std::string_view column_id, std::string_view card_id,
                                        std::optional<int64_t> position) {
  ASSIGN_OR_RETURN(const storage::BlockPage all, view.FindBlocks(InColumn(column_id, 0)));
  ASSIGN_OR_RETURN(const storage::BlockPage cards, view.FindBlocks(CardsInColumn(column_id, 0)));
  int64_t others = cards.total;
  if (!card_id.empty()) {
    ASSIGN_OR_RETURN(const Block card, view.GetBlock(card_id));
    if (card.parent_id == column_id) --others;
  }
  CardPlace place;
  place.position = std::min(position.value_or(others), others);
  if (place.position == others) return place;
  place.among_siblings = place.position;
  if (all.total != cards.total) {
    ASSIGN_OR_RETURN(place.among_siblings, AmongSiblings(view, column_id, card_id, place.position));
  }
  return place;
}

absl::StatusOr<int64_t> PositionOf(storage::ReadView& view, const Block& card) {
  const Field rank{Field::Kind::kRank};
  storage::BlockQuery above = CardsInColumn(card.parent_id, 0);
  above.filter = Filter::Compare(rank, Filter::Op::kLessThan, card.rank);
  ASSIGN_OR_RETURN(const storage::BlockPage page, view.FindBlocks(above));
  // Siblings with equal ranks, which an undo may leave, are ordered by id.
  storage::BlockQuery beside = CardsInColumn(card.parent_id, std::numeric_limits<int64_t>::max());
  beside.filter = Filter::Compare(rank, Filter::Op::kEquals, card.rank);
  ASSIGN_OR_RETURN(const storage::BlockPage tied, view.FindBlocks(beside));
  const auto first =
      std::count_if(tied.blocks.begin(), tied.blocks.end(), [&](const Block& block) { return block.id < card.id; });
  return page.total + first;
}

}  // namespace toolgate::executors::kanban
