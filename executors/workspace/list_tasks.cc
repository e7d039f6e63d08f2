#include "executors/workspace/list_tasks.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/date_filter.h"
#include "executors/blocks/listing_total.h"
#include "executors/workspace/tasks.h"

namespace toolgate::executors::workspace {
namespace {

using storage::Field;
using storage::Filter;

absl::StatusOr<std::optional<Filter>> FilterOf(const ToolContext& context) {
  const Json& arguments = context.arguments;
  std::vector<Filter> conditions;
  for (const char* name : {"status", "priority", "assignedTo"}) {
    const Json* value = FindArgument(arguments, name);
    if (value == nullptr || (*value == "all" && name == std::string_view("status"))) continue;
    conditions.push_back(Filter::Compare(Field::Data({name}), Filter::Op::kEquals, *value));
  }
  if (BoolArgument(arguments, "overdue")) conditions.push_back(OverdueTasks(context.now, context.time_zone));
  if (FindArgument(arguments, "dueBefore") != nullptr) {
    const absl::StatusOr<DateOrTime> limit =
        ParseDate(StringArgument(arguments, "dueBefore"), context.now, context.time_zone);
    if (!limit.ok()) {
      return InvalidArgument("/dueBefore", "format", absl::StrCat("dueBefore is ", limit.status().message()),
                             kDateForms);
    }
    conditions.push_back(blocks::DateFilter({"dueDate"}, context.time_zone).Before(*limit));
  }
  if (conditions.empty()) return std::nullopt;
  return Filter::And(std::move(conditions));
}

}  // namespace

absl::StatusOr<ToolOutput> ListTasks(ToolContext& context, storage::ReadView& view) {
  storage::BlockQuery query;
  query.types = TaskTypes();
  const std::string_view board_id = StringArgument(context.arguments, "boardId");
  if (!board_id.empty()) {
    RETURN_IF_ERROR(blocks::GetBlockOfType(view, board_id, {blocks::kBoard}, "/boardId").status());
    // A board's tasks are its cards; the todos below a card are its subtasks.
    query.types = {std::string(blocks::kCard)};
    query.ancestor_id = std::string(board_id);
  }
  ASSIGN_OR_RETURN(query.filter, FilterOf(context));
  query.sort = {{Field::Data({"dueDate"})}, {{Field::Kind::kCreatedAt}}};
  query.limit = IntegerArgument(context.arguments, "limit");
  query.count_total = true;
  query.bounded = true;
  ASSIGN_OR_RETURN(const storage::BlockPage page, view.FindBlocks(query));

  TaskRenderer renderer(view, context.now, context.time_zone);
  Json tasks = Json::array();
  for (const storage::Block& block : page.blocks) {
    RETURN_IF_ERROR(context.cancellation.Check());
    ASSIGN_OR_RETURN(Json task, renderer.Render(block));
    tasks.push_back(std::move(task));
  }
  ToolOutput output;
  Json result{{"tasks", std::move(tasks)}};
  blocks::PutTotal(page, result);
  output.data_json = DumpJson(result);
  return output;
}

}  // namespace toolgate::executors::workspace
