#include "executors/kanban/boards.h"

#include <string>

#include "executors/blocks/block_types.h"

namespace toolgate::executors::kanban {
namespace {

absl::StatusOr<storage::BlockPage> FindBelow(storage::ReadView& view, std::string_view parent_id, std::string_view type,
                                             int64_t limit) {
  storage::BlockQuery query;
  query.types = {std::string(type)};
  query.parent_id = std::string(parent_id);
  query.limit = limit;
  query.count_total = true;
  return view.FindBlocks(query);
}

}  // namespace

absl::StatusOr<storage::BlockPage> FindBoards(storage::ReadView& view, int64_t limit) {
  storage::BlockQuery query;
  query.types = {std::string(blocks::kBoard)};
  query.sort = {{{storage::Field::Kind::kCreatedAt}}};
  query.limit = limit;
  query.count_total = true;
  query.bounded = true;
  return view.FindBlocks(query);
}

absl::StatusOr<storage::BlockPage> FindColumns(storage::ReadView& view, std::string_view board_id, int64_t limit) {
  return FindBelow(view, board_id, blocks::kColumn, limit);
}

absl::StatusOr<storage::BlockPage> FindCards(storage::ReadView& view, std::string_view column_id, int64_t limit) {
  return FindBelow(view, column_id, blocks::kCard, limit);
}

}  // namespace toolgate::executors::kanban
