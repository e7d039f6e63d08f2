// Positions of cards in their columns. A position counts the cards above it; other blocks in the column do not count.
#ifndef TOOLGATE_EXECUTORS_KANBAN_CARD_PLACES_H_
#define TOOLGATE_EXECUTORS_KANBAN_CARD_PLACES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "storage/block.h"
#include "storage/store.h"

namespace toolgate::executors::kanban {

struct CardPlace {
  int64_t position = 0;                   // Position among the column's cards, starting at 0.
  std::optional<int64_t> among_siblings;  // Position among all blocks in the column; unset: last.
};

// Place of a card that is put into the column at `position`; beyond the end or unset: last. `card_id` is the card, if
// it exists already; it does not count itself.
absl::StatusOr<CardPlace> PlaceInColumn(storage::ReadView& view, std::string_view column_id, std::string_view card_id,
                                        std::optional<int64_t> position);

// Current place of the card.
absl::StatusOr<int64_t> PositionOf(storage::ReadView& view, const storage::Block& card);

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_CARD_PLACES_H_
