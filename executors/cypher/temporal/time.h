#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TIME_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TIME_H_

#include <compare>
#include <cstdint>
#include <string>

#include "executors/cypher/temporal/local_time.h"

namespace toolgate::executors::cypher::temporal {

// A time of day with its offset from UTC, in seconds. Ordered by the time in UTC, then by offset; equal only when both
// are. A value.
class Time {
 public:
  Time() = default;  // Midnight in UTC.
  // `offset` is within Zone::kMaxOffset.
  Time(LocalTime local, int32_t offset) : local_(local), offset_(offset) {}

  const LocalTime& local() const { return local_; }
  int32_t offset() const { return offset_; }
  // May be negative, or more than a day.
  int64_t utc_nanos() const { return local_.nanos_of_day() - offset_ * kNanosPerSecond; }

  // The same moment of the day on a clock with another offset.
  Time AtOffset(int32_t offset) const;

  // The local time's text and the offset's.
  std::string ToString() const;

  friend bool operator==(const Time&, const Time&) = default;
  friend std::strong_ordering operator<=>(const Time& a, const Time& b);

 private:
  LocalTime local_;
  int32_t offset_ = 0;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TIME_H_
