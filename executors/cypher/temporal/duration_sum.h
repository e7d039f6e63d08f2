#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DURATION_SUM_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DURATION_SUM_H_

#include <cstdint>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "executors/cypher/temporal/decimal.h"
#include "executors/cypher/temporal/duration.h"

namespace toolgate::executors::cypher::temporal {

// Adds up the parts of a duration that have fractions, exactly, and carries the fractions into smaller units: months
// into days and seconds (kSecondsPerMonth), days into seconds. A sum that exceeds 64 bits is remembered, and answered
// by Build. For one thread.
class DurationSum {
 public:
  // `count` times `size` months, days or seconds; `size` is at most 3600.
  void AddMonths(const Decimal& count, int64_t size);
  void AddDays(const Decimal& count, int64_t size);
  void AddSeconds(const Decimal& count, int64_t size);
  // `count` times 1/`parts` of a second; `parts` is a power of ten, at most 10^9.
  void AddFractionsOfSecond(const Decimal& count, int64_t parts);

  // The duration's parts times numerator/denominator. `denominator` is positive.
  void AddScaled(const Duration& duration, int64_t numerator, int64_t denominator);

  // Cuts off less than a nanosecond. OutOfRange when a part exceeds 64 bits.
  absl::StatusOr<Duration> Build() const;

 private:
  // Adds to a sum in parts of Decimal::kOne, unless that leaves the range.
  void Add(absl::int128 fixed, absl::int128* sum);
  // Adds a whole number and a fraction in parts of Decimal::kOne.
  void Add(absl::int128 whole, absl::int128 fraction, absl::int128* sum);
  void AddRatio(int64_t value, int64_t numerator, int64_t denominator, absl::int128* sum);

  // In parts of Decimal::kOne.
  absl::int128 months_ = 0;
  absl::int128 days_ = 0;
  absl::int128 seconds_ = 0;
  bool exceeded_ = false;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DURATION_SUM_H_
