// Where cards stand in their columns. A place counts the cards above it; whatever else somebody put into the column
// does not count.
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
  int64_t position = 0;                   // Among the column's cards, counted from 0.
  std::optional<int64_t> among_siblings;  // Among all that lies in the column; unset: last.
};

// Where a card comes to stand that goes into the column at `position`; beyond the end or unset: last. `card_id`: the
// card, when it exists already; it does not count itself.
absl::StatusOr<CardPlace> PlaceInColumn(storage::ReadView& view, std::string_view column_id, std::string_view card_id,
                                        std::optional<int64_t> position);

// Where the card stands now.
absl::StatusOr<int64_t> PositionOf(storage::ReadView& view, const storage::Block& card);

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_CARD_PLACES_H_
