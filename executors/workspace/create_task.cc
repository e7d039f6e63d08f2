#include "executors/workspace/create_task.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/block_writer.h"
#include "executors/planner/item_data.h"
#include "executors/workspace/tasks.h"

namespace toolgate::executors::workspace {
namespace {

using storage::Block;

// The board's first column for tasks that are not started, or else its first column.
absl::StatusOr<std::string> FirstColumn(storage::ReadView& view, std::string_view board_id) {
  RETURN_IF_ERROR(blocks::GetBlockOfType(view, board_id, {blocks::kBoard}, "/boardId").status());
  ASSIGN_OR_RETURN(const std::vector<Block> children, view.ListChildren(board_id, std::numeric_limits<int64_t>::max()));
  std::string first;
  for (const Block& child : children) {
    if (child.type != blocks::kColumn) continue;
    ASSIGN_OR_RETURN(const Json data, blocks::ParseData(child));
    if (StringArgument(data, "status") == "todo") return child.id;
    if (first.empty()) first = child.id;
  }
  if (!first.empty()) return first;
  return MakeError(ErrorCode::kConflict,
                   "the board has no columns yet; create a kanban_column in it with create_block first");
}

// Parent of the task: the id of a column, or "" for a todo at the root.
absl::StatusOr<std::string> ColumnFor(const Json& arguments, storage::ReadView& view) {
  const std::string_view column_id = StringArgument(arguments, "columnId");
  const std::string_view board_id = StringArgument(arguments, "boardId");
  if (column_id.empty()) return board_id.empty() ? std::string() : FirstColumn(view, board_id);
  ASSIGN_OR_RETURN(const Block column, blocks::GetBlockOfType(view, column_id, {blocks::kColumn}, "/columnId"));
  if (!board_id.empty() && column.parent_id != board_id) {
    return InvalidArgument("/columnId", "consistency", "columnId names a column of another board than boardId",
                           "a column of that board, or only one of the two");
  }
  return column.id;
}

Json TaskData(const Json& arguments, bool is_card) {
  Json data = {{is_card ? "title" : "content", std::string(StringArgument(arguments, "title"))}};
  for (const char* name : {"description", "priority", "dueDate", "tags", "assignedTo"}) {
    if (const Json* value = FindArgument(arguments, name); value != nullptr) data[name] = *value;
  }
  return data;
}

absl::StatusOr<Json> CreateSubtasks(const Json& subtasks, const Block& task, blocks::BlockWriter& writer) {
  Json created = Json::array();
  for (size_t i = 0; i < subtasks.size(); ++i) {
    const std::string_view title = StringArgument(subtasks[i], "title");
    if (title.empty()) return MissingArgument(absl::StrCat("/subtasks/", i, "/title"), "a subtask needs a title");
    const bool completed = BoolArgument(subtasks[i], "completed");
    ASSIGN_OR_RETURN(const Block block, writer.Create(blocks::kTodo, task.id,
                                                      {{"content", std::string(title)}, {"completed", completed}}));
    created.push_back({{"id", block.id}, {"title", std::string(title)}, {"completed", completed}});
  }
  return created;
}

}  // namespace

absl::StatusOr<ToolOutput> CreateTask(ToolContext& context, storage::Transaction& transaction) {
  const Json& arguments = context.arguments;
  ASSIGN_OR_RETURN(const std::string column_id, ColumnFor(arguments, transaction));
  const bool is_card = !column_id.empty();
  blocks::BlockWriter writer(transaction, context.now, context.time_zone);
  const absl::StatusOr<Block> block =
      writer.Create(is_card ? blocks::kCard : blocks::kTodo, column_id, TaskData(arguments, is_card));
  if (!block.ok()) return planner::OfArguments(block.status());
  TaskRenderer renderer(transaction, context.now, context.time_zone);
  ASSIGN_OR_RETURN(Json task, renderer.Render(*block));
  if (const Json* subtasks = FindArgument(arguments, "subtasks"); subtasks != nullptr) {
    ASSIGN_OR_RETURN(task["subtasks"], CreateSubtasks(*subtasks, *block, writer));
  }
  ToolOutput output;
  output.data_json = DumpJson({{"taskId", block->id}, {"task", std::move(task)}});
  output.description = absl::StrCat("Created task ", text::Quoted(StringArgument(arguments, "title")));
  return output;
}

}  // namespace toolgate::executors::workspace
