#include "executors/cypher/temporal/arithmetic.h"

#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::StatusOr<Temporal> AddTo(const Date& date, const Duration& duration) {
  absl::StatusOr<Date> sum = date.PlusMonths(duration.months());
  if (sum.ok()) sum = sum->PlusDays(duration.days());
  // Rounds the seconds towards zero, as the days are.
  const int64_t seconds = duration.seconds() + (duration.seconds() < 0 && duration.nanos() > 0 ? 1 : 0);
  if (sum.ok()) sum = sum->PlusDays(seconds / kSecondsPerDay);
  if (!sum.ok()) return sum.status();
  return Temporal(*sum);
}

LocalTime Shift(const LocalTime& time, const Duration& duration) {
  const int64_t seconds = duration.seconds() % kSecondsPerDay;
  return LocalTime::FromNanosOfDay(time.nanos_of_day() + seconds * kNanosPerSecond + duration.nanos());
}

absl::StatusOr<Temporal> AddTo(const LocalTime& time, const Duration& duration) {
  return Temporal(Shift(time, duration));
}

absl::StatusOr<Temporal> AddTo(const Time& time, const Duration& duration) {
  return Temporal(Time(Shift(time.local(), duration), time.offset()));
}

// LocalDateTime or DateTime.
template <typename T>
absl::StatusOr<Temporal> AddTo(const T& instant, const Duration& duration) {
  absl::StatusOr<T> sum = instant.PlusMonths(duration.months());
  if (sum.ok()) sum = sum->PlusDays(duration.days());
  if (sum.ok()) sum = sum->PlusSeconds(duration.seconds(), duration.nanos());
  if (!sum.ok()) return sum.status();
  return Temporal(*sum);
}

absl::StatusOr<Temporal> AddTo(const Duration& a, const Duration& b) {
  const absl::StatusOr<Duration> sum = a.Plus(b);
  if (!sum.ok()) return sum.status();
  return Temporal(*sum);
}

absl::StatusOr<Temporal> AddDuration(const Temporal& value, const Duration& duration) {
  return std::visit([&duration](const auto& alternative) { return AddTo(alternative, duration); }, value);
}

}  // namespace

absl::StatusOr<Temporal> Add(const Temporal& a, const Temporal& b) {
  if (const auto* const duration = std::get_if<Duration>(&b)) return AddDuration(a, *duration);
  if (const auto* const duration = std::get_if<Duration>(&a)) return AddDuration(b, *duration);
  return InvalidType("only a duration can be added to a date or time");
}

absl::StatusOr<Temporal> Subtract(const Temporal& a, const Temporal& b) {
  const auto* const duration = std::get_if<Duration>(&b);
  if (duration == nullptr) {
    return InvalidType("only a duration can be subtracted; for the time between two values use duration.between");
  }
  const absl::StatusOr<Duration> negated = duration->Negated();
  if (!negated.ok()) return negated.status();
  return AddDuration(a, *negated);
}

}  // namespace toolgate::executors::cypher::temporal
