#include "executors/cypher/temporal/duration_sum.h"

#include <limits>

#include "executors/cypher/temporal/error.h"
#include "executors/cypher/temporal/local_time.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using absl::int128;

bool FitsInt64(int128 number) {
  return number >= std::numeric_limits<int64_t>::min() && number <= std::numeric_limits<int64_t>::max();
}

// A whole number, and a rest of the same sign in parts of Decimal::kOne.
struct Split {
  int128 whole;
  int128 rest;
};

Split SplitFixed(int128 fixed) { return {fixed / Decimal::kOne, fixed % Decimal::kOne}; }

// Adds seconds (in parts of kOne) to whole days, so that both have the same sign again.
Split CarryIntoDays(int128 days, int128 seconds) {
  const int128 day = int128{Decimal::kOne} * kSecondsPerDay;
  const Split split{days + seconds / day, seconds % day};
  if (split.whole > 0 && split.rest < 0) return {split.whole - 1, split.rest + day};
  if (split.whole < 0 && split.rest > 0) return {split.whole + 1, split.rest - day};
  return split;
}

}  // namespace

void DurationSum::Add(int128 fixed, int128* sum) {
  *sum += fixed;
  // Twice a number of this size cannot exceed 128 bits.
  if (!FitsInt64(*sum / Decimal::kOne)) {
    exceeded_ = true;
    *sum = 0;
  }
}

void DurationSum::Add(int128 whole, int128 fraction, int128* sum) {
  if (FitsInt64(whole)) {
    Add(whole * Decimal::kOne + fraction, sum);
  } else {
    exceeded_ = true;
  }
}

void DurationSum::AddRatio(int64_t value, int64_t numerator, int64_t denominator, int128* sum) {
  const int128 product = int128{value} * numerator;
  Add(product / denominator, product % denominator * Decimal::kOne / denominator, sum);
}

void DurationSum::AddMonths(const Decimal& count, int64_t size) {
  Add(int128{count.whole} * size, int128{count.fraction} * size, &months_);
}

void DurationSum::AddDays(const Decimal& count, int64_t size) {
  Add(int128{count.whole} * size, int128{count.fraction} * size, &days_);
}

void DurationSum::AddSeconds(const Decimal& count, int64_t size) {
  Add(int128{count.whole} * size, int128{count.fraction} * size, &seconds_);
}

void DurationSum::AddFractionsOfSecond(const Decimal& count, int64_t parts) {
  Add((int128{count.whole} * Decimal::kOne + count.fraction) / parts, &seconds_);
}

void DurationSum::AddScaled(const Duration& duration, int64_t numerator, int64_t denominator) {
  AddRatio(duration.months(), numerator, denominator, &months_);
  AddRatio(duration.days(), numerator, denominator, &days_);
  AddRatio(duration.seconds(), numerator, denominator, &seconds_);
  const int128 nanos = int128{duration.nanos()} * numerator;
  Add(nanos * (Decimal::kOne / kNanosPerSecond) / denominator, &seconds_);
}

absl::StatusOr<Duration> DurationSum::Build() const {
  const Split months = SplitFixed(months_);
  const Split days = SplitFixed(days_);
  const Split carried = CarryIntoDays(days.whole, months.rest * kSecondsPerMonth + days.rest * kSecondsPerDay);
  const int128 nanos = (seconds_ + carried.rest) / (Decimal::kOne / kNanosPerSecond);
  const int128 seconds = nanos / kNanosPerSecond;
  if (exceeded_ || !FitsInt64(carried.whole) || !FitsInt64(seconds)) {
    return OutOfRange("a part of the duration exceeds 64 bits");
  }
  return Duration::Create(static_cast<int64_t>(months.whole), static_cast<int64_t>(carried.whole),
                          static_cast<int64_t>(seconds), static_cast<int64_t>(nanos % kNanosPerSecond));
}

}  // namespace toolgate::executors::cypher::temporal
