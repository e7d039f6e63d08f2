// Boards and their columns, in order.
#ifndef TOOLGATE_EXECUTORS_KANBAN_BOARDS_H_
#define TOOLGATE_EXECUTORS_KANBAN_BOARDS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/store.h"

namespace toolgate::executors::kanban {

// Boards, oldest first; at most `limit`, with the total number.
absl::StatusOr<storage::BlockPage> FindBoards(storage::ReadView& view, int64_t limit);

// Columns of a board from left to right; at most `limit`, with the total number.
absl::StatusOr<storage::BlockPage> FindColumns(storage::ReadView& view, std::string_view board_id, int64_t limit);

// Cards of a column from top to bottom; at most `limit`, with the total number.
absl::StatusOr<storage::BlockPage> FindCards(storage::ReadView& view, std::string_view column_id, int64_t limit);

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_BOARDS_H_
