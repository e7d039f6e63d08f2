// Dates and times of iCalendar properties.
//
// Own code and not libical's, which reads February 30th, 25 o'clock and "2026 3 2" without objection, accepts "P" and
// "PTT1H" as durations, and miscalculates those of more than 68 years (libical_test.cc).
#ifndef TOOLGATE_INTERCHANGE_ICALENDAR_TIME_H_
#define TOOLGATE_INTERCHANGE_ICALENDAR_TIME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "interchange/icalendar/text.h"

namespace toolgate::interchange::icalendar {

// A day, or a time on some wall clock.
struct IcalTime {
  absl::CivilSecond clock;  // Midnight for a day.
  bool is_day = false;
  std::string zone;     // IANA name; "UTC" for times with Z; empty: the reader's own.
  std::string unknown;  // The TZID, if it names no known zone; `zone` is empty then.
};

// Parses a DATE or DATE-TIME value with the property's TZID. INVALID_ARGUMENT describes the problem.
absl::StatusOr<IcalTime> ParseIcalTime(std::string_view value, const IcalProperty& property);

// The same instant on the wall clock of `zone` (IANA, or empty: unchanged).
absl::CivilSecond ClockIn(const IcalTime& time, const std::string& zone);

// P1D, PT1H30M, -P2W: in seconds. INVALID_ARGUMENT otherwise.
absl::StatusOr<int64_t> ParseIcalDuration(std::string_view value);

// The IANA name for a TZID: the TZID itself, one with a prefix as written by Thunderbird and Evolution, or the one that
// corresponds to a Windows name as written by Outlook. Nothing if none is known.
std::optional<std::string> ZoneOfTzid(std::string_view tzid);

// "20260302" and "20260302T090000".
std::string IcalDayText(absl::CivilDay day);
std::string IcalClockText(absl::CivilSecond clock);

}  // namespace toolgate::interchange::icalendar

#endif  // TOOLGATE_INTERCHANGE_ICALENDAR_TIME_H_
