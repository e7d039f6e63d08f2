// Plan for a range of days.
#ifndef TOOLGATE_EXECUTORS_OVERVIEW_DAY_PLAN_H_
#define TOOLGATE_EXECUTORS_OVERVIEW_DAY_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "common/json.h"
#include "executors/tool.h"

namespace toolgate::executors::overview {

// Reads days [first, last] of the caller's calendar, module by module, with one query for each. Created for one call.
class DayPlan {
 public:
  // Maximum number of rows of one kind in total; further rows are only counted.
  static constexpr int64_t kMaxRows = 500;

  DayPlan(ToolContext& context, storage::ReadView& view, absl::CivilDay first, absl::CivilDay last);

  // {"days": [{"date", "weekday", "events", "tasks", "journal"}], "overdue": […], "summary": {…}}.
  absl::StatusOr<Json> Read();

 private:
  struct Tasks {
    std::vector<Json> rows;  // In the form of list_tasks, ordered by due date.
    int64_t total = 0;
  };
  // Notes in the summary if not all were counted.
  void NoteTotal(const storage::BlockPage& page);
  // Todos and cards.
  absl::StatusOr<Tasks> FindTasks(storage::Filter filter);

  absl::Status AddEvents();
  absl::Status AddTasks();
  absl::Status AddJournal();
  absl::Status AddOverdueTasks();
  absl::Status AddOverdueCalendarTasks();

  // Row of the day; nullptr if it is out of range.
  Json* RowOf(absl::CivilDay day);

  ToolContext& context_;
  storage::ReadView& view_;
  const absl::CivilDay first_;
  const absl::CivilDay last_;
  const absl::CivilDay today_;
  std::vector<Json> rows_;  // One for each day.
  Json overdue_ = Json::array();
  Json summary_ = Json::object();
};

}  // namespace toolgate::executors::overview

#endif  // TOOLGATE_EXECUTORS_OVERVIEW_DAY_PLAN_H_
