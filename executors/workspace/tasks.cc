#include "executors/workspace/tasks.h"

#include <utility>

#include "absl/time/civil_time.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/declared_fields.h"

namespace toolgate::executors::workspace {

using storage::Block;
using storage::Filter;

const std::vector<std::string>& TaskTypes() {
  static const auto* const types = new std::vector<std::string>{std::string(blocks::kTodo), std::string(blocks::kCard)};
  return *types;
}

Filter OverdueTasks(absl::Time now, absl::TimeZone zone) {
  return blocks::OpenAndDueBefore(absl::ToCivilDay(now, zone), now);
}

absl::StatusOr<Json> TaskRenderer::Render(const Block& task) {
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(task));
  Json json = {{"id", task.id}, {"type", task.type}};
  const bool is_card = task.type == blocks::kCard;
  json["title"] = std::string(StringArgument(data, is_card ? "title" : "content"));
  for (const char* name : {"description", "status", "priority", "dueDate", "assignedTo", "tags", "eventLinks"}) {
    if (const Json* value = FindArgument(data, name); value != nullptr) json[name] = *value;
  }
  json["overdue"] = IsOverdue(data);
  json["parentId"] = task.parent_id.empty() ? Json() : Json(task.parent_id);
  if (!is_card) return json;
  ASSIGN_OR_RETURN(const Column* column, FindColumn(task.parent_id));
  json["columnId"] = task.parent_id;
  json["column"] = column->title;
  json["boardId"] = column->board_id;
  return json;
}

absl::StatusOr<const TaskRenderer::Column*> TaskRenderer::FindColumn(const std::string& id) {
  const auto known = columns_.find(id);
  if (known != columns_.end()) return &known->second;
  ASSIGN_OR_RETURN(const Block block, view_.GetBlock(id));
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(block));
  Column column{std::string(StringArgument(data, "title")), block.parent_id};
  return &columns_.emplace(id, std::move(column)).first->second;
}

bool TaskRenderer::IsOverdue(const Json& data) const {
  const absl::StatusOr<DateOrTime> due = ParseStoredDate(StringArgument(data, "dueDate"));
  if (!due.ok() || StringArgument(data, "status") == "done") return false;
  return due->is_instant ? due->instant < now_ : due->day < absl::ToCivilDay(now_, zone_);
}

}  // namespace toolgate::executors::workspace
