#include "executors/workspace/update_task_status.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/fold_case.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"

namespace toolgate::executors::workspace {
namespace {

using storage::Block;

struct Column {
  std::string id;
  std::string title;
  std::string status;
};

absl::StatusOr<std::vector<Column>> ColumnsOf(storage::ReadView& view, std::string_view board_id) {
  ASSIGN_OR_RETURN(const std::vector<Block> children, view.ListChildren(board_id, std::numeric_limits<int64_t>::max()));
  std::vector<Column> columns;
  for (const Block& child : children) {
    if (child.type != blocks::kColumn) continue;
    ASSIGN_OR_RETURN(const Json data, blocks::ParseData(child));
    columns.push_back(
        {child.id, std::string(StringArgument(data, "title")), std::string(StringArgument(data, "status"))});
  }
  return columns;
}

// Column for `status` on the card's board: the one with that title, or else the first with that status. A card that is
// already in such a column stays there.
absl::StatusOr<std::string> ColumnByStatus(storage::ReadView& view, const Block& card, std::string_view status) {
  ASSIGN_OR_RETURN(const Block present, view.GetBlock(card.parent_id));
  ASSIGN_OR_RETURN(const std::vector<Column> columns, ColumnsOf(view, present.parent_id));
  std::vector<std::string> titles;
  for (const Column& column : columns) {
    if (text::EqualFolded(column.title, status)) return column.id;
    titles.push_back(absl::StrCat("\"", column.title, "\""));
  }
  const std::string_view known = blocks::KnownStatusFromName(status);
  std::string first;
  for (const Column& column : columns) {
    if (known.empty() || column.status != known) continue;
    if (column.id == present.id) return column.id;
    if (first.empty()) first = column.id;
  }
  if (!first.empty()) return first;
  return InvalidArgument("/status", "column",
                         absl::StrCat("the board has no column for status \"", ToAbsl(status.substr(0, 64)),
                                      "\"; its columns are ", NameList(titles)),
                         NameList(titles), "another status");
}

// A caller may give both if both mean the same.
absl::Status CheckAgreement(const Block& column, std::string_view status) {
  if (status.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(column));
  if (text::EqualFolded(StringArgument(data, "title"), status) ||
      blocks::KnownStatusFromName(status) == StringArgument(data, "status")) {
    return absl::OkStatus();
  }
  return InvalidArgument("/status", "consistency", "status and columnId name different columns; give one of them",
                         "one of status and columnId");
}

absl::StatusOr<Block> MoveCard(const Json& arguments, const Block& card, blocks::BlockWriter& writer) {
  storage::ReadView& view = writer.context().view;
  const std::string_view column_id = StringArgument(arguments, "columnId");
  const std::string_view status = StringArgument(arguments, "status");
  std::string target(column_id);
  if (column_id.empty()) {
    ASSIGN_OR_RETURN(target, ColumnByStatus(view, card, status));
  } else {
    ASSIGN_OR_RETURN(const Block column, blocks::GetBlockOfType(view, column_id, {blocks::kColumn}, "/columnId"));
    RETURN_IF_ERROR(CheckAgreement(column, status));
  }
  return target == card.parent_id ? card : writer.Move(card, target);
}

absl::StatusOr<Block> TickTodo(const Json& arguments, const Block& todo, blocks::BlockWriter& writer) {
  if (FindArgument(arguments, "columnId") != nullptr) {
    return InvalidArgument("/columnId", "type", "a todo is in no column; give its status instead", "status");
  }
  const std::string_view status = blocks::KnownStatusFromName(StringArgument(arguments, "status"));
  if (status.empty()) {
    return InvalidArgument("/status", "enum", "a todo's status must be one of todo, in_progress and done",
                           "todo, in_progress or done", "another status");
  }
  return writer.Update(todo, {{"status", std::string(status)}});
}

}  // namespace

absl::StatusOr<ToolOutput> UpdateTaskStatus(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  if (StringArgument(arguments, "status").empty() && StringArgument(arguments, "columnId").empty()) {
    return MissingArgument("/status", "give status or columnId");
  }
  ASSIGN_OR_RETURN(const Block before, blocks::GetBlockOfType(transaction, StringArgument(arguments, "taskId"),
                                                              {blocks::kTodo, blocks::kCard}, "/taskId"));
  ASSIGN_OR_RETURN(const Json old_data, blocks::ParseData(before));
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(const Block after, before.type == blocks::kCard ? MoveCard(arguments, before, writer)
                                                                   : TickTodo(arguments, before, writer));
  ASSIGN_OR_RETURN(const Json new_data, blocks::ParseData(after));
  const std::string new_status(StringArgument(new_data, "status"));
  ToolOutput output;
  output.data_json = DumpJson({{"success", true},
                               {"previousStatus", std::string(StringArgument(old_data, "status"))},
                               {"newStatus", new_status}});
  output.description = absl::StrCat("Set ", blocks::Describe(before.type, old_data), " to ", new_status);
  return output;
}

}  // namespace toolgate::executors::workspace
