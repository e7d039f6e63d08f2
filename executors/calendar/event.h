// Calendar events in the form that the calendar tools use.
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

// Start and end of an event on the wall clock: from `minute` of the day `date` to `end_minute` of the day `end`.
struct EventTimes {
  absl::CivilDay date;
  std::optional<int> minute;          // Minute of the day; unset: all day.
  std::optional<absl::CivilDay> end;  // Last day, if it differs from the first.
  std::optional<int> end_minute;      // Set only together with `minute`.

  absl::CivilDay last_day() const { return end.value_or(date); }
  // Returns the times moved to another first day, with the same duration.
  EventTimes MovedTo(absl::CivilDay day) const;
  // Returns the times moved to another time of the day, with the same duration; without a time, all day.
  EventTimes MovedTo(std::optional<int> at) const;
};

// Converts "09:30" to minutes since midnight, and back. Returns nothing unless `text` has the stored form.
std::optional<int> MinuteOfDay(std::string_view text);
std::string ClockText(int minute);

// The instant at which a wall clock in `zone` shows `minute` of `day`. As in RFC 5545, a time that occurs twice means
// the first, and a skipped time is read with the offset before the change.
absl::Time InstantOf(absl::CivilDay day, int minute, absl::TimeZone zone);

// Reads the times of a calendar_event from its data. DATA_LOSS (for the operator) if it has no valid date.
absl::StatusOr<EventTimes> TimesOf(const Json& data);
// Writes the times into `data`, with null for missing ones, so that the result is also a valid patch.
void PutTimes(const EventTimes& times, Json& data);

// Parts of "<series id>@2026-03-02", the occurrence of a series that was originally on that day.
std::string OccurrenceId(std::string_view series_id, absl::CivilDay day);
struct OccurrenceName {
  std::string_view series_id;
  absl::CivilDay day;
};
// Returns nothing if `id` does not have that form.
std::optional<OccurrenceName> ParseOccurrenceId(std::string_view id);

// Event in results of tools:
//   {"eventId", "seriesId"?, "recurrence"?, "title", "description"?, "date", "time"?, "endDate"?, "endTime"?, "type",
//    "status", "location"?, "timeZone"?, "tags"?, "start"?, "end"?, "revision"}
// `start` and `end` are instants and present for timed events. Events without a zone are read in `zone`.
struct EventView {
  std::string event_id;
  std::string series_id;   // Empty for a single event.
  std::string recurrence;  // The series' rule.
  const Json& data;        // Data of the block.
  EventTimes times;        // Times of this occurrence.
  int64_t revision = 0;
};
Json ToJson(const EventView& event, absl::TimeZone zone);

}  // namespace toolgate::executors::calendar

#endif  // TOOLGATE_EXECUTORS_CALENDAR_EVENT_H_
