// Calendar events as the calendar's tools see them.
#ifndef TOOLGATE_EXECUTORS_CALENDAR_EVENT_H_
#define TOOLGATE_EXECUTORS_CALENDAR_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "storage/block.h"

namespace toolgate::executors::calendar {

// Where an event stands on the wall clock: from `date`, at `minute` of the day, to `end_date`, at `end_minute`.
struct EventTimes {
  absl::CivilDay date;
  std::optional<int> minute;          // Of the day; nothing: all day.
  std::optional<absl::CivilDay> end;  // The last day, where it is not the first.
  std::optional<int> end_minute;      // Only beside `minute`.

  absl::CivilDay last_day() const { return end.value_or(date); }
  // The same length, beginning on another day.
  EventTimes MovedTo(absl::CivilDay day) const;
  // The same length, beginning at another time of the day; without one, all day.
  EventTimes MovedTo(std::optional<int> at) const;
};

// "09:30" as minutes since midnight, and back. `text` is as the store holds it; nothing when it is not.
std::optional<int> MinuteOfDay(std::string_view text);
std::string ClockText(int minute);

// The instant at which a wall clock in `zone` shows `minute` of `day`. As RFC 5545 has it: a time that comes twice is
// the first, one that is skipped is read with the offset from before the change.
absl::Time InstantOf(absl::CivilDay day, int minute, absl::TimeZone zone);

// The times that a block's data, of type calendar_event, says. DATA_LOSS (for the operator) when it has no good date.
absl::StatusOr<EventTimes> TimesOf(const Json& data);
// Puts them into `data`; null for what there is not, so that it can be a patch as well.
void PutTimes(const EventTimes& times, Json& data);

// "<series id>@2026-03-02": the occurrence of a series that stood on that day before anybody moved it.
std::string OccurrenceId(std::string_view series_id, absl::CivilDay day);
struct OccurrenceName {
  std::string_view series_id;
  absl::CivilDay day;
};
// Nothing when `id` is not of that form.
std::optional<OccurrenceName> ParseOccurrenceId(std::string_view id);

// What tools answer of an event:
//   {"eventId", "seriesId"?, "recurrence"?, "title", "description"?, "date", "time"?, "endDate"?, "endTime"?, "type",
//    "status", "location"?, "timeZone"?, "tags"?, "start"?, "end"?, "revision"}
// `start` and `end` are instants, for events that have a time; without a zone of their own, in `zone`.
struct EventView {
  std::string event_id;
  std::string series_id;   // Empty for a single event.
  std::string recurrence;  // The series' rule.
  const Json& data;        // Of the block that it comes from.
  EventTimes times;        // Of this occurrence.
  int64_t revision = 0;
};
Json ToJson(const EventView& event, absl::TimeZone zone);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_EVENT_H_
