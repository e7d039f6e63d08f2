#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DURATION_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DURATION_H_

#include <compare>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace toolgate::executors::cypher::temporal {

// Seconds of an average month of the Gregorian calendar, 30.436875 days.
inline constexpr int64_t kSecondsPerMonth = 2'629'746;

// Months, days and seconds that are counted apart, since a month has no fixed number of days nor a day one of hours.
// Each may be negative. Equal when all parts are. A value. Factories answer OutOfRange when a part exceeds 64 bits.
class Duration {
 public:
  Duration() = default;  // PT0S.

  // `nanos` may have any size and sign: it is carried into the seconds.
  static absl::StatusOr<Duration> Create(int64_t months, int64_t days, int64_t seconds, int64_t nanos);

  int64_t months() const { return months_; }
  int64_t days() const { return days_; }
  int64_t seconds() const { return seconds_; }
  // 0 to 999,999,999, to be added to the seconds, also to negative ones.
  int64_t nanos() const { return nanos_; }

  absl::StatusOr<Duration> Plus(const Duration& other) const;
  absl::StatusOr<Duration> Minus(const Duration& other) const;
  absl::StatusOr<Duration> Negated() const;
  // Fractions of a month go to days and seconds (kSecondsPerMonth), those of a day to seconds; less than a nanosecond
  // is cut off. Doubles count as the shortest decimal number that denotes them. InvalidValue when `factor` is not
  // finite, or a divisor zero.
  absl::StatusOr<Duration> Times(int64_t factor) const;
  absl::StatusOr<Duration> Times(double factor) const;
  absl::StatusOr<Duration> DividedBy(int64_t divisor) const;
  absl::StatusOr<Duration> DividedBy(double divisor) const;

  // ISO 8601 by units, such as P1Y2M10DT2H30M0.5S; PT0S for zero. Negative parts have a sign each.
  std::string ToString() const;

  friend bool operator==(const Duration&, const Duration&) = default;
  // A total order for sorting: by average length, then by months, days, seconds. Cypher's < and > are not defined for
  // durations.
  friend std::strong_ordering operator<=>(const Duration& a, const Duration& b);

 private:
  Duration(int64_t months, int64_t days, int64_t seconds, int64_t nanos)
      : months_(months), days_(days), seconds_(seconds), nanos_(nanos) {}

  int64_t months_ = 0;
  int64_t days_ = 0;
  int64_t seconds_ = 0;
  int64_t nanos_ = 0;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DURATION_H_
