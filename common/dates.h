// Days and instants as people write them.
#ifndef TOOLGATE_COMMON_DATES_H_
#define TOOLGATE_COMMON_DATES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace toolgate {

// A whole day on the calendar, or an instant of time (whole seconds).
struct DateOrTime {
  bool is_instant = false;
  absl::CivilDay day;  // For a whole day.
  absl::Time instant;  // For an instant.
};

// Forms that people may write, for messages.
inline constexpr std::string_view kDateForms =
    "YYYY-MM-DD, an RFC 3339 date-time, or words such as today, tomorrow, next monday, in 3 days, +2w";

// Reads, without regard to case:
//   2026-03-02                                 a day
//   2026-03-02T10:00:00Z, …+01:00              an instant (RFC 3339)
//   2026-03-02T10:00, 2026-03-02 10:00:00      an instant in `zone`
//   today, tomorrow, yesterday                 days in `zone`
//   monday, this monday                        the next one from today on, today included
//   next monday, last monday                   the first after, the last before today
//   next week, last month, next year           today a week (month, year) later or earlier
//   end of week, end of month, end of year     its last day; weeks end on Sunday
//   in 3 days, in a week, 2 months ago         counted from today
//   +2w, -1d, +1m, +1y                         the same in short
//   now, in 2 hours, 30 minutes ago, +3h       instants counted from `now`
//   tomorrow at 17:00, next monday 9am         a day of the above with a time in `zone`
// A time that a change of the clock skips becomes the change. A day that a month does not have becomes its last (one
// month after January 31st is the end of February).
// INVALID_ARGUMENT otherwise, and for years outside 1 to 9999. The message never quotes `text`.
absl::StatusOr<DateOrTime> ParseDate(std::string_view text, absl::Time now, absl::TimeZone zone);

// "2026-03-02" or "2026-03-02T09:00:00Z": UTC, 20 characters, so that instants sort as strings.
std::string FormatDate(const DateOrTime& date);
std::string FormatDay(absl::CivilDay day);
std::string FormatInstant(absl::Time instant);

// Reads what FormatDate writes and nothing else.
absl::StatusOr<DateOrTime> ParseStoredDate(std::string_view text);

// The first instant of `day` in `zone`; where a change of the clock skips midnight, the change itself.
absl::Time StartOfDay(absl::CivilDay day, absl::TimeZone zone);

// "HH:MM" (24 hours) from "9:30", "09:30" or "9am". INVALID_ARGUMENT otherwise.
absl::StatusOr<std::string> ParseClockTime(std::string_view text);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_DATES_H_
