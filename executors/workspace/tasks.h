// Common properties of todos and cards as tasks.
#ifndef TOOLGATE_EXECUTORS_WORKSPACE_TASKS_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_TASKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "storage/store.h"

namespace toolgate::executors::workspace {

// Block types that are tasks.
const std::vector<std::string>& TaskTypes();

// The tasks whose `path` "dueDate" is past at `now` and that are not done.
storage::Filter OverdueTasks(absl::Time now, absl::TimeZone zone);

// Renders tasks as {"id", "type", "title", "status", "overdue", "parentId"} and, where the task has them,
// "description", "priority", "dueDate", "assignedTo" and "tags"; for a card also "eventLinks", "columnId", "column" and
// "boardId". Caches columns; created for one call. The tools of executors/kanban return cards in the same form.
class TaskRenderer {
 public:
  TaskRenderer(storage::ReadView& view, absl::Time now, absl::TimeZone zone) : view_(view), now_(now), zone_(zone) {}

  absl::StatusOr<Json> Render(const storage::Block& task);

 private:
  struct Column {
    std::string title;
    std::string board_id;
  };
  absl::StatusOr<const Column*> FindColumn(const std::string& id);
  bool IsOverdue(const Json& data) const;

  storage::ReadView& view_;
  absl::Time now_;
  absl::TimeZone zone_;
  absl::flat_hash_map<std::string, Column> columns_;
};

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_TASKS_H_
