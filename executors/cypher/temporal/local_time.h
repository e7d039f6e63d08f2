#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_LOCAL_TIME_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_LOCAL_TIME_H_

#include <compare>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace toolgate::executors::cypher::temporal {

inline constexpr int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr int64_t kSecondsPerDay = 86'400;
inline constexpr int64_t kNanosPerDay = kSecondsPerDay * kNanosPerSecond;

// A time of day to the nanosecond, without a time zone and without leap seconds. A value of eight bytes; ordered.
class LocalTime {
 public:
  LocalTime() = default;  // Midnight.

  // InvalidValue when a field is out of range.
  static absl::StatusOr<LocalTime> Create(int64_t hour, int64_t minute, int64_t second, int64_t nanosecond);
  // `nanos` since midnight, taken modulo a day.
  static LocalTime FromNanosOfDay(int64_t nanos);

  int64_t nanos_of_day() const { return nanos_; }
  int64_t second_of_day() const { return nanos_ / kNanosPerSecond; }
  int hour() const { return static_cast<int>(second_of_day() / 3600); }
  int minute() const { return static_cast<int>(second_of_day() / 60 % 60); }
  int second() const { return static_cast<int>(second_of_day() % 60); }
  int64_t nanosecond() const { return nanos_ % kNanosPerSecond; }

  // HH:MM, with :SS unless second and fraction are zero, and the fraction without trailing zeros.
  std::string ToString() const;

  friend auto operator<=>(const LocalTime&, const LocalTime&) = default;

 private:
  explicit LocalTime(int64_t nanos) : nanos_(nanos) {}

  int64_t nanos_ = 0;
};

// "" for zero, otherwise "." and up to nine digits without trailing zeros. `nanos` is 0 to 999,999,999.
std::string FractionOfSecond(int64_t nanos);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_LOCAL_TIME_H_
