#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DATE_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DATE_H_

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"

namespace toolgate::executors::cypher::temporal {

// A day of the proleptic Gregorian calendar, without a time zone. Years run from -999,999,999 to 999,999,999; weeks are
// ISO 8601's, day 1 is Monday. A value of eight bytes; ordered in time. The factories and the arithmetic answer
// InvalidValue for fields that name no day, and OutOfRange for a day outside of those years.
class Date {
 public:
  static constexpr int64_t kMaxYear = 999'999'999;

  Date() = default;  // 1970-01-01.

  static absl::StatusOr<Date> FromCalendar(int64_t year, int64_t month, int64_t day);
  static absl::StatusOr<Date> FromWeek(int64_t week_year, int64_t week, int64_t day_of_week);
  static absl::StatusOr<Date> FromQuarter(int64_t year, int64_t quarter, int64_t day_of_quarter);
  static absl::StatusOr<Date> FromOrdinal(int64_t year, int64_t ordinal_day);
  // Days since 1970-01-01.
  static absl::StatusOr<Date> FromEpochDay(int64_t epoch_day);
  // The last day of the month when the month has no such day. `day` is 1 to 31.
  static absl::StatusOr<Date> FromCalendarClamped(int64_t year, int64_t month, int64_t day);

  int64_t epoch_day() const { return epoch_day_; }
  absl::CivilDay civil() const { return absl::CivilDay() + epoch_day_; }

  int64_t year() const { return civil().year(); }
  int month() const { return civil().month(); }
  int day() const { return civil().day(); }
  int quarter() const { return (month() - 1) / 3 + 1; }
  int ordinal_day() const;
  int day_of_quarter() const;
  int day_of_week() const;
  int week() const { return WeekDate().second; }
  int64_t week_year() const { return WeekDate().first; }

  // Keeps the day of the month, or takes the last one of a shorter month.
  absl::StatusOr<Date> PlusMonths(int64_t months) const;
  absl::StatusOr<Date> PlusDays(int64_t days) const;

  // YYYY-MM-DD; years beyond 9999 have a sign and as many digits as they need.
  std::string ToString() const;

  friend auto operator<=>(const Date&, const Date&) = default;

 private:
  explicit Date(int64_t epoch_day) : epoch_day_(epoch_day) {}

  // The year that the week belongs to, and its number in it.
  std::pair<int64_t, int> WeekDate() const;

  int64_t epoch_day_ = 0;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DATE_H_
