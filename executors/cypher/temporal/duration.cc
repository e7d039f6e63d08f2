#include "executors/cypher/temporal/duration.h"

#include <cmath>
#include <limits>
#include <tuple>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "executors/cypher/temporal/decimal.h"
#include "executors/cypher/temporal/duration_sum.h"
#include "executors/cypher/temporal/error.h"
#include "executors/cypher/temporal/local_time.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::Status Exceeded() { return OutOfRange("a part of the duration exceeds 64 bits"); }

// A number as numerator/denominator, the denominator a positive power of ten.
struct Ratio {
  int64_t numerator;
  int64_t denominator;
};

// Drops digits from the end of the fraction until the numerator fits 64 bits.
absl::StatusOr<Ratio> RatioOf(double number) {
  const absl::StatusOr<Decimal> decimal = Decimal::FromDouble(number);
  if (!decimal.ok()) return InvalidValue("a duration can be scaled by finite numbers below 2^63 only");
  int64_t fraction = decimal->fraction;
  for (int64_t denominator = Decimal::kOne;; denominator /= 10, fraction /= 10) {
    const absl::int128 numerator = absl::int128{decimal->whole} * denominator + fraction;
    const bool fits =
        numerator <= std::numeric_limits<int64_t>::max() && numerator > std::numeric_limits<int64_t>::min();
    if (denominator == 1 || fits) return Ratio{static_cast<int64_t>(numerator), denominator};
  }
}

absl::StatusOr<Duration> Scale(const Duration& duration, Ratio ratio) {
  DurationSum sum;
  sum.AddScaled(duration, ratio.numerator, ratio.denominator);
  return sum.Build();
}

absl::StatusOr<Duration> Divide(const Duration& duration, Ratio divisor) {
  if (divisor.numerator == 0) return InvalidValue("a duration cannot be divided by zero");
  if (divisor.numerator == std::numeric_limits<int64_t>::min()) return InvalidValue("the divisor is below -2^63 + 1");
  if (divisor.numerator < 0) return Scale(duration, {-divisor.denominator, -divisor.numerator});
  return Scale(duration, {divisor.denominator, divisor.numerator});
}

// Nanoseconds of the average length, for sorting.
absl::int128 AverageLength(const Duration& duration) {
  const absl::int128 seconds = absl::int128{duration.months()} * kSecondsPerMonth +
                               absl::int128{duration.days()} * kSecondsPerDay + duration.seconds();
  return seconds * kNanosPerSecond + duration.nanos();
}

void AppendPart(int64_t count, char unit, std::string* text) {
  if (count != 0) absl::StrAppend(text, count, std::string(1, unit));
}

// `nanos` has the sign of `seconds`, unless one of them is zero.
void AppendSeconds(int64_t seconds, int64_t nanos, std::string* text) {
  if (seconds == 0 && nanos == 0) return;
  if (seconds == 0 && nanos < 0) *text += '-';
  absl::StrAppend(text, seconds, FractionOfSecond(nanos < 0 ? -nanos : nanos), "S");
}

// Gives the nanoseconds the sign of the seconds, so that each part can be written with its own.
void AppendTime(const Duration& duration, std::string* text) {
  const bool borrow = duration.seconds() < 0 && duration.nanos() > 0;
  const int64_t seconds = duration.seconds() + (borrow ? 1 : 0);
  const int64_t nanos = duration.nanos() - (borrow ? kNanosPerSecond : 0);
  if (seconds == 0 && nanos == 0) return;
  *text += 'T';
  AppendPart(seconds / 3600, 'H', text);
  AppendPart(seconds / 60 % 60, 'M', text);
  AppendSeconds(seconds % 60, nanos, text);
}

}  // namespace

absl::StatusOr<Duration> Duration::Create(int64_t months, int64_t days, int64_t seconds, int64_t nanos) {
  const int64_t rest = nanos % kNanosPerSecond;
  const int64_t carry = nanos / kNanosPerSecond - (rest < 0 ? 1 : 0);
  if (__builtin_add_overflow(seconds, carry, &seconds)) return Exceeded();
  return Duration(months, days, seconds, rest < 0 ? rest + kNanosPerSecond : rest);
}

absl::StatusOr<Duration> Duration::Plus(const Duration& other) const {
  Duration sum;
  if (__builtin_add_overflow(months_, other.months_, &sum.months_) ||
      __builtin_add_overflow(days_, other.days_, &sum.days_) ||
      __builtin_add_overflow(seconds_, other.seconds_, &sum.seconds_)) {
    return Exceeded();
  }
  return Create(sum.months_, sum.days_, sum.seconds_, nanos_ + other.nanos_);
}

absl::StatusOr<Duration> Duration::Minus(const Duration& other) const {
  Duration difference;
  if (__builtin_sub_overflow(months_, other.months_, &difference.months_) ||
      __builtin_sub_overflow(days_, other.days_, &difference.days_) ||
      __builtin_sub_overflow(seconds_, other.seconds_, &difference.seconds_)) {
    return Exceeded();
  }
  return Create(difference.months_, difference.days_, difference.seconds_, nanos_ - other.nanos_);
}

absl::StatusOr<Duration> Duration::Negated() const { return Duration().Minus(*this); }

absl::StatusOr<Duration> Duration::Times(int64_t factor) const { return Scale(*this, {factor, 1}); }

absl::StatusOr<Duration> Duration::Times(double factor) const {
  const absl::StatusOr<Ratio> ratio = RatioOf(factor);
  return ratio.ok() ? Scale(*this, *ratio) : ratio.status();
}

absl::StatusOr<Duration> Duration::DividedBy(int64_t divisor) const { return Divide(*this, {divisor, 1}); }

absl::StatusOr<Duration> Duration::DividedBy(double divisor) const {
  const absl::StatusOr<Ratio> ratio = RatioOf(divisor);
  return ratio.ok() ? Divide(*this, *ratio) : ratio.status();
}

std::string Duration::ToString() const {
  std::string text = "P";
  AppendPart(months_ / 12, 'Y', &text);
  AppendPart(months_ % 12, 'M', &text);
  AppendPart(days_, 'D', &text);
  AppendTime(*this, &text);
  return text == "P" ? "PT0S" : text;
}

std::strong_ordering operator<=>(const Duration& a, const Duration& b) {
  const absl::int128 length_a = AverageLength(a), length_b = AverageLength(b);
  if (length_a != length_b) return length_a < length_b ? std::strong_ordering::less : std::strong_ordering::greater;
  return std::tie(a.months_, a.days_, a.seconds_) <=> std::tie(b.months_, b.days_, b.seconds_);
}

}  // namespace toolgate::executors::cypher::temporal
