#include "interchange/icalendar/time.h"

#include <unicode/ucal.h>

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/time_zones.h"

namespace toolgate::interchange::icalendar {
namespace {

constexpr size_t kDayLength = 8;                                  // YYYYMMDD
constexpr size_t kClockLength = 6;                                // HHMMSS
constexpr int64_t kMaxDuration = int64_t{10'000} * 366 * 86'400;  // The whole calendar, in seconds.

// -1 unless `text` consists of digits.
int Digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return text.empty() ? -1 : value;
}

absl::Status NotATime() {
  return absl::InvalidArgumentError("not a day (20260302) or a time (20260302T090000, perhaps with Z)");
}

std::optional<std::string> ListedName(std::string_view name) {
  const auto found = FindTimeZone(name);
  if (!found.has_value()) return std::nullopt;
  return std::string(found->name);
}

// "W. Europe Standard Time" is "Europe/Berlin".
std::optional<std::string> ZoneOfWindows(std::string_view name) {
  if (name.size() > 128) return std::nullopt;
  std::u16string wide;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) >= 0x80) return std::nullopt;
    wide += static_cast<char16_t>(c);
  }
  std::array<char16_t, 128> found;
  UErrorCode status = U_ZERO_ERROR;
  const int32_t length = ucal_getTimeZoneIDForWindowsID(wide.data(), static_cast<int32_t>(wide.size()), nullptr,
                                                        found.data(), static_cast<int32_t>(found.size()), &status);
  if (U_FAILURE(status) || length <= 0) return std::nullopt;
  return ListedName(std::string(found.begin(), found.begin() + length));
}

}  // namespace

std::optional<std::string> ZoneOfTzid(std::string_view tzid) {
  if (auto name = ListedName(tzid); name.has_value()) return name;
  // "/mozilla.org/20050126_1/Europe/Berlin"
  for (size_t slash = tzid.find('/'); slash != std::string_view::npos; slash = tzid.find('/', slash + 1)) {
    const std::string_view rest = tzid.substr(slash + 1);
    if (rest.find('/') == std::string_view::npos) break;
    if (auto name = ListedName(rest); name.has_value()) return name;
  }
  return ZoneOfWindows(tzid);
}

absl::StatusOr<IcalTime> ParseIcalTime(std::string_view value, const IcalProperty& property) {
  value = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(value)));
  const bool is_utc = absl::EndsWithIgnoreCase(ToAbsl(value), "Z");
  if (is_utc) value.remove_suffix(1);
  const int year = Digits(value.substr(0, 4));
  const int month = value.size() < kDayLength ? -1 : Digits(value.substr(4, 2));
  const int day = value.size() < kDayLength ? -1 : Digits(value.substr(6, 2));
  const absl::CivilDay civil(std::max(year, 0), std::max(month, 0), std::max(day, 0));
  if (year < 1 || civil.month() != month || civil.day() != day) return NotATime();
  IcalTime time;
  time.clock = absl::CivilSecond(civil);
  time.is_day = value.size() == kDayLength;
  if (time.is_day) return is_utc ? NotATime() : absl::StatusOr<IcalTime>(time);
  const std::string_view clock = value.substr(kDayLength);
  const int hour = clock.size() != kClockLength + 1 || clock[0] != 'T' ? -1 : Digits(clock.substr(1, 2));
  const int minute = hour < 0 ? -1 : Digits(clock.substr(3, 2));
  const int second = hour < 0 ? -1 : Digits(clock.substr(5, 2));
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return NotATime();
  time.clock = absl::CivilSecond(year, month, day, hour, minute, std::min(second, 59));
  const std::string_view tzid = property.Parameter("TZID");
  if (is_utc) {
    time.zone = "UTC";
  } else if (!tzid.empty()) {
    time.zone = ZoneOfTzid(tzid).value_or("");
    if (time.zone.empty()) time.unknown = tzid;
  }
  return time;
}

absl::CivilSecond ClockIn(const IcalTime& time, const std::string& zone) {
  if (time.is_day || zone.empty() || time.zone.empty() || time.zone == zone) return time.clock;
  const auto from = FindTimeZone(time.zone);
  const auto to = FindTimeZone(zone);
  if (!from.has_value() || !to.has_value()) return time.clock;
  return absl::ToCivilSecond(from->zone.At(time.clock).pre, to->zone);
}

absl::StatusOr<int64_t> ParseIcalDuration(std::string_view value) {
  const absl::Status wrong = absl::InvalidArgumentError("not a duration such as P1D, PT1H30M or P2W");
  value = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(value)));
  int64_t sign = 1;
  if (!value.empty() && (value.front() == '-' || value.front() == '+')) {
    if (value.front() == '-') sign = -1;
    value.remove_prefix(1);
  }
  if (value.empty() || value.front() != 'P') return wrong;
  value.remove_prefix(1);
  int64_t seconds = 0;
  bool in_time = false;
  bool any = false;
  while (!value.empty()) {
    if (value.front() == 'T' && !in_time) {
      in_time = true;
      value.remove_prefix(1);
      continue;
    }
    const size_t digits = value.find_first_not_of("0123456789");
    if (digits == std::string_view::npos || digits == 0 || digits > 9) return wrong;
    const int64_t number = Digits(value.substr(0, digits));
    int64_t unit = 0;
    if (!in_time && value[digits] == 'W') unit = 7 * int64_t{86'400};
    if (!in_time && value[digits] == 'D') unit = 86'400;
    if (in_time && value[digits] == 'H') unit = 3'600;
    if (in_time && value[digits] == 'M') unit = 60;
    if (in_time && value[digits] == 'S') unit = 1;
    if (unit == 0) return wrong;
    seconds += number * unit;
    if (seconds > kMaxDuration) return absl::InvalidArgumentError("a duration of more than 10,000 years");
    any = true;
    value.remove_prefix(digits + 1);
  }
  return any ? absl::StatusOr<int64_t>(sign * seconds) : wrong;
}

std::string IcalDayText(absl::CivilDay day) {
  return absl::StrCat(absl::Dec(day.year(), absl::kZeroPad4), absl::Dec(day.month(), absl::kZeroPad2),
                      absl::Dec(day.day(), absl::kZeroPad2));
}

std::string IcalClockText(absl::CivilSecond clock) {
  return absl::StrCat(IcalDayText(absl::CivilDay(clock)), "T", absl::Dec(clock.hour(), absl::kZeroPad2),
                      absl::Dec(clock.minute(), absl::kZeroPad2), absl::Dec(clock.second(), absl::kZeroPad2));
}

}  // namespace toolgate::interchange::icalendar
