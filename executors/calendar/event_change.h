// What a caller wants to be different about an event.
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
  Json fields = Json::object();            // title, description, type and status as given; null removes.
  std::optional<absl::CivilDay> date;      // Where the addressed occurrence shall stand.
  std::optional<std::optional<int>> time;  // When, as a minute of the day; nothing within: all day.

  bool empty() const { return fields.empty() && !date.has_value() && !time.has_value(); }
};

// Reads title, description, date, time, type and status. An empty time or description removes it. A date that says a
// time of day too, such as "tomorrow at 9am", gives both, unless there is a time of its own. Relative words count from
// `now` in `zone`; so does an instant, which becomes a wall clock there. INVALID_PARAMS otherwise.
absl::StatusOr<EventChange> ReadChange(const Json& arguments, absl::Time now, absl::TimeZone zone);

// `times` as the change wants them; the length stays. `day` stands in place of the change's date.
EventTimes Changed(EventTimes times, const EventChange& change, std::optional<absl::CivilDay> day);

// "/dateFrom" and the like: a day in any form that dates have. INVALID_PARAMS naming the argument.
absl::StatusOr<DateOrTime> ReadDateArgument(const Json& arguments, const char* name, absl::Time now,
                                            absl::TimeZone zone);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_EVENT_CHANGE_H_
