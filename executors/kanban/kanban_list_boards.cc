#include "executors/kanban/kanban_list_boards.h"

#include <cstdint>
#include <utility>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/listing_total.h"
#include "executors/kanban/boards.h"
#include "executors/planner/texts.h"

namespace toolgate::executors::kanban {
namespace {

using storage::Block;

constexpr int64_t kMaxBoards = 200;
constexpr int64_t kMaxColumns = 100;  // For each board.

absl::StatusOr<Json> ColumnJson(storage::ReadView& view, const Block& column) {
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(column));
  Json json = {{"id", column.id}};
  for (const char* name : {"title", "status", "color"}) {
    if (const Json* value = FindArgument(data, name); value != nullptr) json[name] = *value;
  }
  ASSIGN_OR_RETURN(const storage::BlockPage cards, FindCards(view, column.id, 0));
  json["cardCount"] = cards.total;
  return json;
}

absl::StatusOr<Json> BoardJson(const ToolContext& context, storage::ReadView& view, const Block& board,
                               size_t max_characters) {
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(board));
  Json json = {{"id", board.id}, {"title", StringArgument(data, "title")}};
  if (const std::string_view description = StringArgument(data, "description"); !description.empty()) {
    planner::PutText(json, "description", description, max_characters);
  }
  json["parentId"] = board.parent_id.empty() ? Json() : Json(board.parent_id);
  ASSIGN_OR_RETURN(const storage::BlockPage columns, FindColumns(view, board.id, kMaxColumns));
  json["columns"] = Json::array();
  int64_t cards = 0;
  for (const Block& column : columns.blocks) {
    RETURN_IF_ERROR(context.cancellation.Check());
    ASSIGN_OR_RETURN(Json column_json, ColumnJson(view, column));
    cards += column_json["cardCount"].get<int64_t>();
    json["columns"].push_back(std::move(column_json));
  }
  json["columnCount"] = columns.total;
  json["cardCount"] = cards;
  return json;
}

}  // namespace

absl::StatusOr<ToolOutput> KanbanListBoards(ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::BlockPage page, FindBoards(view, kMaxBoards));
  const size_t max_characters = planner::TextShare(page.blocks.size());
  Json boards = Json::array();
  for (const Block& board : page.blocks) {
    ASSIGN_OR_RETURN(Json json, BoardJson(context, view, board, max_characters));
    boards.push_back(std::move(json));
  }
  ToolOutput output;
  Json result{{"boards", std::move(boards)}};
  blocks::PutTotal(page, result);
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::kanban
