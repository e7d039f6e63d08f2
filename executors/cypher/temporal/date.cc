#include "executors/cypher/temporal/date.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

constexpr int64_t kMinEpochDay = -365'243'219'162;  // -999999999-01-01.
constexpr int64_t kMaxEpochDay = 365'241'780'471;   // +999999999-12-31.
constexpr int64_t kMaxMonths = 24'000'000'000;      // More than between the first day and the last.

absl::Status CheckRange(std::string_view field, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return InvalidValue(absl::StrFormat("%s is %d; it must be %d to %d", std::string(field), value, least, most));
}

absl::Status CheckYear(int64_t year) { return CheckRange("year", year, -Date::kMaxYear, Date::kMaxYear); }

int64_t EpochDay(absl::CivilDay day) { return day - absl::CivilDay(); }

int DaysInMonth(int64_t year, int64_t month) { return (absl::CivilDay(absl::CivilMonth(year, month) + 1) - 1).day(); }

// 1 for Monday. 1970-01-01 was a Thursday.
int DayOfWeek(int64_t epoch_day) { return static_cast<int>(((epoch_day + 3) % 7 + 7) % 7) + 1; }

// The Monday of the week with the year's first Thursday, which January 4 always belongs to.
int64_t FirstMonday(int64_t week_year) {
  const int64_t fourth = EpochDay(absl::CivilDay(week_year, 1, 4));
  return fourth - (DayOfWeek(fourth) - 1);
}

}  // namespace

absl::StatusOr<Date> Date::FromCalendar(int64_t year, int64_t month, int64_t day) {
  if (absl::Status status = CheckYear(year); !status.ok()) return status;
  if (absl::Status status = CheckRange("month", month, 1, 12); !status.ok()) return status;
  if (absl::Status status = CheckRange("day", day, 1, DaysInMonth(year, month)); !status.ok()) return status;
  return Date(EpochDay(absl::CivilDay(year, month, day)));
}

absl::StatusOr<Date> Date::FromCalendarClamped(int64_t year, int64_t month, int64_t day) {
  if (absl::Status status = CheckYear(year); !status.ok()) return status;
  if (absl::Status status = CheckRange("month", month, 1, 12); !status.ok()) return status;
  return FromCalendar(year, month, std::min<int64_t>(day, DaysInMonth(year, month)));
}

absl::StatusOr<Date> Date::FromWeek(int64_t week_year, int64_t week, int64_t day_of_week) {
  if (absl::Status status = CheckYear(week_year); !status.ok()) return status;
  const int64_t weeks = (FirstMonday(week_year + 1) - FirstMonday(week_year)) / 7;
  if (absl::Status status = CheckRange("week", week, 1, weeks); !status.ok()) return status;
  if (absl::Status status = CheckRange("dayOfWeek", day_of_week, 1, 7); !status.ok()) return status;
  return FromEpochDay(FirstMonday(week_year) + (week - 1) * 7 + day_of_week - 1);
}

absl::StatusOr<Date> Date::FromQuarter(int64_t year, int64_t quarter, int64_t day_of_quarter) {
  if (absl::Status status = CheckYear(year); !status.ok()) return status;
  if (absl::Status status = CheckRange("quarter", quarter, 1, 4); !status.ok()) return status;
  const absl::CivilMonth first(year, quarter * 3 - 2);
  const int64_t days = absl::CivilDay(first + 3) - absl::CivilDay(first);
  if (absl::Status status = CheckRange("dayOfQuarter", day_of_quarter, 1, days); !status.ok()) return status;
  return Date(EpochDay(absl::CivilDay(first)) + day_of_quarter - 1);
}

absl::StatusOr<Date> Date::FromOrdinal(int64_t year, int64_t ordinal_day) {
  if (absl::Status status = CheckYear(year); !status.ok()) return status;
  const int64_t days = absl::CivilDay(year + 1, 1, 1) - absl::CivilDay(year, 1, 1);
  if (absl::Status status = CheckRange("ordinalDay", ordinal_day, 1, days); !status.ok()) return status;
  return Date(EpochDay(absl::CivilDay(year, 1, 1)) + ordinal_day - 1);
}

absl::StatusOr<Date> Date::FromEpochDay(int64_t epoch_day) {
  if (epoch_day >= kMinEpochDay && epoch_day <= kMaxEpochDay) return Date(epoch_day);
  return OutOfRange("the date is outside of the years -999999999 to 999999999");
}

int Date::ordinal_day() const { return absl::GetYearDay(civil()); }

int Date::day_of_quarter() const {
  const absl::CivilDay day = civil();
  return static_cast<int>(day - absl::CivilDay(day.year(), quarter() * 3 - 2, 1)) + 1;
}

int Date::day_of_week() const { return DayOfWeek(epoch_day_); }

std::pair<int64_t, int> Date::WeekDate() const {
  // A week belongs to the year of its Thursday.
  const absl::CivilDay thursday = absl::CivilDay() + (epoch_day_ + 4 - day_of_week());
  return {thursday.year(), (absl::GetYearDay(thursday) - 1) / 7 + 1};
}

absl::StatusOr<Date> Date::PlusMonths(int64_t months) const {
  const absl::CivilDay day = civil();
  const bool small = months >= -kMaxMonths && months <= kMaxMonths;
  const absl::CivilMonth month = absl::CivilMonth(day) + (small ? months : kMaxMonths);
  if (!CheckYear(month.year()).ok()) return OutOfRange("the date is outside of the years -999999999 to 999999999");
  return FromCalendarClamped(month.year(), month.month(), day.day());
}

absl::StatusOr<Date> Date::PlusDays(int64_t days) const {
  int64_t sum = 0;
  if (__builtin_add_overflow(epoch_day_, days, &sum)) sum = kMaxEpochDay + 1;
  return FromEpochDay(sum);
}

std::string Date::ToString() const {
  const absl::CivilDay day = civil();
  const int64_t magnitude = day.year() < 0 ? -day.year() : day.year();
  const char* const sign = day.year() < 0 ? "-" : magnitude > 9999 ? "+" : "";
  return absl::StrFormat("%s%04d-%02d-%02d", sign, magnitude, day.month(), day.day());
}

}  // namespace toolgate::executors::cypher::temporal
