#include "executors/calendar/event_change.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/arguments.h"

namespace toolgate::executors::calendar {
namespace {

constexpr std::string_view kTimeForms = "HH:MM, or a time such as 9:30pm";

absl::StatusOr<std::optional<int>> ReadTime(const Json& value) {
  if (!value.is_string()) return std::optional<int>();
  const std::string& text = value.get_ref<const std::string&>();
  if (text.empty()) return std::optional<int>();
  const absl::StatusOr<std::string> time = ParseClockTime(text);
  if (!time.ok()) {
    return InvalidArgument("/time", "format", absl::StrCat("time is ", time.status().message()), kTimeForms,
                           KindOf(value));
  }
  return MinuteOfDay(*time);
}

}  // namespace

absl::StatusOr<DateOrTime> ReadDateArgument(const Json& arguments, const char* name, absl::Time now,
                                            absl::TimeZone zone) {
  absl::StatusOr<DateOrTime> date = ParseDate(StringArgument(arguments, name), now, zone);
  if (date.ok()) return date;
  return InvalidArgument(absl::StrCat("/", name), "format", absl::StrCat(name, " is ", date.status().message()),
                         kDateForms, KindOf(*FindArgument(arguments, name)));
}

absl::StatusOr<EventChange> ReadChange(const Json& arguments, absl::Time now, absl::TimeZone zone) {
  EventChange change;
  for (const char* name : {"title", "description", "type", "status"}) {
    const Json* value = FindArgument(arguments, name);
    if (value == nullptr) continue;
    const bool removes =
        name == std::string_view("description") && value->is_string() && value->get_ref<const std::string&>().empty();
    change.fields[name] = removes ? Json() : *value;
  }
  if (FindArgument(arguments, "date") != nullptr) {
    ASSIGN_OR_RETURN(const DateOrTime date, ReadDateArgument(arguments, "date", now, zone));
    change.date = date.day;
    if (date.is_instant) {
      const absl::CivilSecond clock = absl::ToCivilSecond(date.instant, zone);
      change.date = absl::CivilDay(clock);
      change.time = clock.hour() * 60 + clock.minute();
    }
  }
  if (const Json* time = FindArgument(arguments, "time"); time != nullptr) {
    ASSIGN_OR_RETURN(change.time, ReadTime(*time));
  }
  return change;
}

EventTimes Changed(EventTimes times, const EventChange& change, std::optional<absl::CivilDay> day) {
  if (change.time.has_value()) times = times.MovedTo(*change.time);
  if (day.has_value()) times = times.MovedTo(*day);
  return times;
}

}  // namespace toolgate::executors::calendar
