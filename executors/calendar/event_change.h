// Change of an event that a caller requests.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_EVENT_CHANGE_H_
#define TOOLGATE_EXECUTORS_CALENDAR_EVENT_CHANGE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "common/dates.h"
#include "common/json.h"
#include "executors/calendar/event.h"

namespace toolgate::executors::calendar {

struct EventChange {
  Json fields = Json::object();            // Given values of title, description, type and status; null removes a field.
  std::optional<absl::CivilDay> date;      // New day of the addressed occurrence.
  std::optional<std::optional<int>> time;  // New minute of the day; inner value unset: all day.

  bool empty() const { return fields.empty() && !date.has_value() && !time.has_value(); }
};

// Reads title, description, date, time, type and status. An empty time or description removes it. A date with a time of
// day, such as "tomorrow at 9am", sets both, unless a time is given too. Relative words count from `now` in `zone`, and
// an instant is converted to the wall clock of `zone`. INVALID_PARAMS for other values.
absl::StatusOr<EventChange> ReadChange(const Json& arguments, absl::Time now, absl::TimeZone zone);

// Applies the change to `times` and keeps the duration. `day` replaces the date of the change.
EventTimes Changed(EventTimes times, const EventChange& change, std::optional<absl::CivilDay> day);

// Reads a day, in any form of dates, from an argument such as "/dateFrom". INVALID_PARAMS names the argument.
absl::StatusOr<DateOrTime> ReadDateArgument(const Json& arguments, const char* name, absl::Time now,
                                            absl::TimeZone zone);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_EVENT_CHANGE_H_
