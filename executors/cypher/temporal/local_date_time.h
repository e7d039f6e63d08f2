#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_LOCAL_DATE_TIME_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_LOCAL_DATE_TIME_H_

#include <compare>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/date.h"
#include "executors/cypher/temporal/local_time.h"

namespace toolgate::executors::cypher::temporal {

// A date and a time of day, without a time zone. A value; ordered in time. Arithmetic answers OutOfRange as Date's
// does.
class LocalDateTime {
 public:
  LocalDateTime() = default;  // 1970-01-01T00:00.
  LocalDateTime(Date date, LocalTime time) : date_(date), time_(time) {}

  // Seconds since 1970-01-01T00:00 on the same clock.
  static absl::StatusOr<LocalDateTime> FromSeconds(int64_t seconds, int64_t nanosecond);

  const Date& date() const { return date_; }
  const LocalTime& time() const { return time_; }
  int64_t seconds() const { return date_.epoch_day() * kSecondsPerDay + time_.second_of_day(); }

  absl::StatusOr<LocalDateTime> PlusMonths(int64_t months) const;
  absl::StatusOr<LocalDateTime> PlusDays(int64_t days) const;
  // `nanos` is 0 to 999,999,999.
  absl::StatusOr<LocalDateTime> PlusSeconds(int64_t seconds, int64_t nanos) const;

  // The date's text, "T" and the time's.
  std::string ToString() const;

  friend auto operator<=>(const LocalDateTime&, const LocalDateTime&) = default;

 private:
  Date date_;
  LocalTime time_;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_LOCAL_DATE_TIME_H_
