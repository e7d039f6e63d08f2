#include "executors/overview/day_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/date_filter.h"
#include "executors/calendar/agenda.h"
#include "executors/workspace/tasks.h"

namespace toolgate::executors::overview {
namespace {

using storage::Block;
using storage::BlockPage;
using storage::BlockQuery;
using storage::Field;
using storage::Filter;

// Range in which a pending calendar task still counts as overdue, because a series may reach back without limit.
constexpr int kOverdueDays = 30;

std::string Weekday(absl::CivilDay day) {
  return absl::FormatTime("%A", absl::FromCivil(day, absl::UTCTimeZone()), absl::UTCTimeZone());
}

// Due day in the caller's calendar for a stored date.
absl::StatusOr<absl::CivilDay> DayOf(std::string_view stored, absl::TimeZone zone) {
  ASSIGN_OR_RETURN(const DateOrTime date, ParseStoredDate(stored));
  return date.is_instant ? absl::ToCivilDay(date.instant, zone) : date.day;
}

}  // namespace

DayPlan::DayPlan(ToolContext& context, storage::ReadView& view, absl::CivilDay first, absl::CivilDay last)
    : context_(context),
      view_(view),
      first_(first),
      last_(last),
      today_(absl::ToCivilDay(context.now, context.time_zone)) {
  for (absl::CivilDay day = first; day <= last; ++day) {
    rows_.push_back({{"date", FormatDay(day)},
                     {"weekday", Weekday(day)},
                     {"events", Json::array()},
                     {"tasks", Json::array()},
                     {"journal", Json::array()}});
  }
}

Json* DayPlan::RowOf(absl::CivilDay day) {
  return day < first_ || day > last_ ? nullptr : &rows_[static_cast<size_t>(day - first_)];
}

absl::StatusOr<Json> DayPlan::Read() {
  RETURN_IF_ERROR(AddEvents());
  RETURN_IF_ERROR(AddTasks());
  RETURN_IF_ERROR(AddJournal());
  RETURN_IF_ERROR(AddOverdueCalendarTasks());
  RETURN_IF_ERROR(AddOverdueTasks());
  return Json{{"days", std::move(rows_)}, {"overdue", std::move(overdue_)}, {"summary", std::move(summary_)}};
}

absl::Status DayPlan::AddEvents() {
  calendar::AgendaQuery query;
  query.first = first_;
  query.last = last_;
  query.zone = context_.time_zone;
  query.limit = kMaxRows;
  ASSIGN_OR_RETURN(const calendar::Agenda agenda, calendar::ReadAgenda(view_, query, context_.cancellation));
  for (const calendar::Occurrence& occurrence : agenda.occurrences) {
    const Json event = calendar::ToJson(occurrence, context_.time_zone);
    // An event of several days is listed on each of them.
    const absl::CivilDay last = std::min(occurrence.last_day, last_);
    for (absl::CivilDay day = std::max(occurrence.day, first_); day <= last; ++day) {
      RowOf(day)->at("events").push_back(event);
    }
  }
  summary_["events"] = agenda.total;
  return absl::OkStatus();
}

void DayPlan::NoteTotal(const BlockPage& page) {
  if (page.total_is_lower_bound) summary_["isLowerBound"] = true;
}

absl::StatusOr<DayPlan::Tasks> DayPlan::FindTasks(Filter filter) {
  BlockQuery query;
  query.types = workspace::TaskTypes();
  query.filter = std::move(filter);
  query.sort = {{Field::Data({"dueDate"})}, {{Field::Kind::kCreatedAt}}};
  query.limit = kMaxRows;
  query.count_total = true;
  query.bounded = true;
  ASSIGN_OR_RETURN(const BlockPage page, view_.FindBlocks(query));
  NoteTotal(page);
  Tasks tasks;
  tasks.total = page.total;
  workspace::TaskRenderer renderer(view_, context_.now, context_.time_zone);
  for (const Block& block : page.blocks) {
    RETURN_IF_ERROR(context_.cancellation.Check());
    ASSIGN_OR_RETURN(Json task, renderer.Render(block));
    tasks.rows.push_back(std::move(task));
  }
  return tasks;
}

absl::Status DayPlan::AddTasks() {
  ASSIGN_OR_RETURN(Tasks tasks, FindTasks(blocks::DateFilter({"dueDate"}, context_.time_zone).Within(first_, last_)));
  for (Json& task : tasks.rows) {
    ASSIGN_OR_RETURN(const absl::CivilDay day, DayOf(StringArgument(task, "dueDate"), context_.time_zone));
    if (Json* row = RowOf(day); row != nullptr) row->at("tasks").push_back(std::move(task));
  }
  summary_["tasks"] = tasks.total;
  return absl::OkStatus();
}

absl::Status DayPlan::AddJournal() {
  BlockQuery query;
  query.types = {std::string(blocks::kJournalEntry)};
  query.filter = Filter::And({Filter::Compare(Field::Data({"date"}), Filter::Op::kGreaterOrEqual, FormatDay(first_)),
                              Filter::Compare(Field::Data({"date"}), Filter::Op::kLessOrEqual, FormatDay(last_))});
  query.sort = {{Field::Data({"date"})}, {{Field::Kind::kCreatedAt}}};
  query.limit = kMaxRows;
  query.count_total = true;
  query.bounded = true;
  ASSIGN_OR_RETURN(const BlockPage page, view_.FindBlocks(query));
  for (const Block& block : page.blocks) {
    ASSIGN_OR_RETURN(const Json data, blocks::ParseData(block));
    ASSIGN_OR_RETURN(const absl::CivilDay day, DayOf(StringArgument(data, "date"), context_.time_zone));
    Json entry = {{"id", block.id}, {"title", blocks::TitleOf(block.type, data)}};
    for (const char* name : {"mood", "tags"}) {
      if (const Json* value = FindArgument(data, name); value != nullptr) entry[name] = *value;
    }
    if (Json* row = RowOf(day); row != nullptr) row->at("journal").push_back(std::move(entry));
  }
  NoteTotal(page);
  summary_["journalEntries"] = page.total;
  return absl::OkStatus();
}

absl::Status DayPlan::AddOverdueCalendarTasks() {
  calendar::AgendaQuery query;
  query.first = today_ - kOverdueDays;
  query.last = today_ - 1;
  query.type = "task";
  query.status = "pending";
  query.zone = context_.time_zone;
  query.limit = kMaxRows;
  ASSIGN_OR_RETURN(const calendar::Agenda agenda, calendar::ReadAgenda(view_, query, context_.cancellation));
  for (const calendar::Occurrence& occurrence : agenda.occurrences) {
    if (occurrence.day < query.first) continue;
    overdue_.push_back({{"id", occurrence.event_id},
                        {"type", std::string(blocks::kEvent)},
                        {"title", std::string(StringArgument(occurrence.data, "title"))},
                        {"dueDate", FormatDay(occurrence.day)}});
  }
  summary_["overdue"] = agenda.total;
  return absl::OkStatus();
}

absl::Status DayPlan::AddOverdueTasks() {
  ASSIGN_OR_RETURN(Tasks tasks, FindTasks(workspace::OverdueTasks(context_.now, context_.time_zone)));
  for (Json& task : tasks.rows) overdue_.push_back(std::move(task));
  summary_["overdue"] = summary_["overdue"].get<int64_t>() + tasks.total;
  return absl::OkStatus();
}

}  // namespace toolgate::executors::overview
