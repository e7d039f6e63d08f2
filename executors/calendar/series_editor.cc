#include "executors/calendar/series_editor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_types.h"

namespace toolgate::executors::calendar {
namespace {

using blocks::Recurrence;
using storage::Block;

// Fields of a series that its occurrences do not have.
constexpr const char* kSeriesFields[] = {"recurrence", "recurrenceEnd", "exceptions", "uid"};

template <typename Days>
Json DayList(const Days& days, int64_t shift = 0) {
  Json list = Json::array();
  for (const absl::CivilDay day : days) list.push_back(FormatDay(day + shift));
  return list.empty() ? Json() : list;
}

bool SameValue(const Json& a, const Json& b, const std::string& name) {
  const Json* in_a = FindArgument(a, name);
  const Json* in_b = FindArgument(b, name);
  return in_a == nullptr || in_b == nullptr ? in_a == in_b : *in_a == *in_b;
}

absl::Status CannotShift(const Series& series, int64_t days) {
  return InvalidArgument(
      "/date", "consistency",
      absl::StrCat(
          "the rule ", series.rule().ToString(), " cannot be moved by ", days, days == 1 ? " day" : " days",
          " as a whole, since no rule has exactly those days; move single occurrences (scope \"this\"), or give "
          "the event another recurrence with update_block"),
      "a date to which all occurrences can move", "another");
}

}  // namespace

absl::Status SeriesEditor::ChangeOne(const Series& series, absl::CivilDay day, const EventChange& change) {
  ASSIGN_OR_RETURN(const EventTimes times, series.TimesOn(day));
  Json patch = change.fields;
  PutTimes(Changed(times, change, change.date), patch);
  if (const EventBlock* own = series.FindChanged(day); own != nullptr) {
    return writer_.Update(own->block, patch).status();
  }
  Json data = series.data();
  for (const char* name : kSeriesFields) data.erase(name);
  data["recurrenceId"] = FormatDay(day);
  data.merge_patch(patch);
  return writer_.Create(blocks::kEvent, series.block().id, data).status();
}

absl::Status SeriesEditor::ChangeChanged(const Series& series, const EventBlock& occurrence, absl::CivilDay day,
                                         bool addressed, int64_t days, const EventChange& change) {
  Json patch = Json::object();
  for (const auto& [name, value] : change.fields.items()) {
    if (addressed || SameValue(occurrence.data, series.data(), name)) patch[name] = value;
  }
  ASSIGN_OR_RETURN(EventTimes times, TimesOf(occurrence.data));
  if (change.time.has_value() && (addressed || times.minute == series.times().minute)) {
    times = times.MovedTo(*change.time);
  }
  PutTimes(times.MovedTo(times.date + days), patch);
  patch["recurrenceId"] = FormatDay(day + days);
  return writer_.Update(occurrence.block, patch).status();
}

absl::StatusOr<Moved> SeriesEditor::ChangeAll(const Series& series, std::optional<absl::CivilDay> day,
                                              const EventChange& change) {
  const absl::CivilDay first = series.times().date;
  absl::CivilDay stands_on = first;
  if (day.has_value()) {
    ASSIGN_OR_RETURN(const EventTimes times, series.TimesOn(*day));
    stands_on = times.date;
  }
  const int64_t days = change.date.has_value() ? *change.date - stands_on : 0;
  const std::optional<Recurrence> rule = series.rule().Shifted(first, days);
  if (!rule.has_value()) return CannotShift(series, days);
  Json patch = change.fields;
  PutTimes(Changed(series.times(), change, first + days), patch);
  patch["recurrence"] = rule->ToString();
  patch["exceptions"] = DayList(series.exceptions(), days);
  RETURN_IF_ERROR(writer_.Update(series.block(), patch).status());
  // Ordered so that two occurrences never have the same original day at the same time.
  const auto change_one = [&](const auto& row) {
    return ChangeChanged(series, row.second, row.first, row.first == day, days, change);
  };
  const auto& changed = series.changed();
  if (days > 0) {
    for (auto row = changed.rbegin(); row != changed.rend(); ++row) RETURN_IF_ERROR(change_one(*row));
  } else {
    for (const auto& row : changed) RETURN_IF_ERROR(change_one(row));
  }
  return Moved{series.block().id, day.value_or(first) + days};
}

Recurrence SeriesEditor::RuleBefore(const Series& series, absl::CivilDay day) const {
  if (!series.rule().count().has_value()) {
    return series.rule().WithUntil(std::min(day - 1, series.rule().until().value_or(day - 1)));
  }
  return series.rule().WithCount(series.rule().CountBefore(series.times().date, day));
}

absl::StatusOr<Series> SeriesEditor::Split(const Series& series, absl::CivilDay day) {
  const std::set<absl::CivilDay>& exceptions = series.exceptions();
  const auto split = exceptions.lower_bound(day);
  Json rest = series.data();
  rest.erase("uid");
  rest.erase("recurrenceEnd");
  PutTimes(series.times().MovedTo(day), rest);
  Recurrence rule = series.rule();
  if (const std::optional<int64_t> count = rule.count(); count.has_value()) {
    rule = rule.WithCount(*count - rule.CountBefore(series.times().date, day));
  }
  rest["recurrence"] = rule.ToString();
  rest["exceptions"] = DayList(std::vector<absl::CivilDay>(split, exceptions.end()));
  ASSIGN_OR_RETURN(const Block created, writer_.Create(blocks::kEvent, series.block().parent_id, rest));
  for (auto row = series.changed().lower_bound(day); row != series.changed().end(); ++row) {
    RETURN_IF_ERROR(writer_.Move(row->second.block, created.id).status());
  }
  const Json patch = {{"recurrence", RuleBefore(series, day).ToString()},
                      {"exceptions", DayList(std::vector<absl::CivilDay>(exceptions.begin(), split))}};
  RETURN_IF_ERROR(writer_.Update(series.block(), patch).status());
  ASSIGN_OR_RETURN(EventBlock event, ParseEvent(created));
  return Series::Load(std::move(event), transaction_);
}

absl::StatusOr<int64_t> SeriesEditor::RemoveOne(const Series& series, absl::CivilDay day) {
  int64_t gone = 1;
  if (const EventBlock* own = series.FindChanged(day); own != nullptr) {
    ASSIGN_OR_RETURN(gone, writer_.Delete(own->block, storage::Children::kDelete));
  }
  std::set<absl::CivilDay> exceptions = series.exceptions();
  exceptions.insert(day);
  RETURN_IF_ERROR(writer_.Update(series.block(), {{"exceptions", DayList(exceptions)}}).status());
  return gone;
}

absl::StatusOr<int64_t> SeriesEditor::RemoveFrom(const Series& series, absl::CivilDay day) {
  int64_t gone = series.FindChanged(day) == nullptr ? 1 : 0;
  for (auto row = series.changed().lower_bound(day); row != series.changed().end(); ++row) {
    ASSIGN_OR_RETURN(const int64_t below, writer_.Delete(row->second.block, storage::Children::kDelete));
    gone += below;
  }
  const std::set<absl::CivilDay>& exceptions = series.exceptions();
  const Json patch = {
      {"recurrence", RuleBefore(series, day).ToString()},
      {"exceptions", DayList(std::vector<absl::CivilDay>(exceptions.begin(), exceptions.lower_bound(day)))}};
  RETURN_IF_ERROR(writer_.Update(series.block(), patch).status());
  return gone;
}

}  // namespace toolgate::executors::calendar
