#include "executors/cypher/temporal/local_date_time.h"

#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::StatusOr<LocalDateTime> WithTime(const absl::StatusOr<Date>& date, const LocalTime& time) {
  if (!date.ok()) return date.status();
  return LocalDateTime(*date, time);
}

}  // namespace

absl::StatusOr<LocalDateTime> LocalDateTime::FromSeconds(int64_t seconds, int64_t nanosecond) {
  const int64_t second_of_day = (seconds % kSecondsPerDay + kSecondsPerDay) % kSecondsPerDay;
  const LocalTime time = LocalTime::FromNanosOfDay(second_of_day * kNanosPerSecond + nanosecond);
  // Divides before it subtracts: the difference could pass the least number.
  const int64_t day = seconds / kSecondsPerDay - (seconds % kSecondsPerDay < 0 ? 1 : 0);
  return WithTime(Date::FromEpochDay(day), time);
}

absl::StatusOr<LocalDateTime> LocalDateTime::PlusMonths(int64_t months) const {
  return WithTime(date_.PlusMonths(months), time_);
}

absl::StatusOr<LocalDateTime> LocalDateTime::PlusDays(int64_t days) const {
  return WithTime(date_.PlusDays(days), time_);
}

absl::StatusOr<LocalDateTime> LocalDateTime::PlusSeconds(int64_t more, int64_t nanos) const {
  const int64_t nanosecond = time_.nanosecond() + nanos;
  int64_t sum = 0;
  if (__builtin_add_overflow(seconds() + nanosecond / kNanosPerSecond, more, &sum)) {
    return OutOfRange("the seconds to add lead outside of the years -999999999 to 999999999");
  }
  return FromSeconds(sum, nanosecond % kNanosPerSecond);
}

std::string LocalDateTime::ToString() const { return date_.ToString() + "T" + time_.ToString(); }

}  // namespace toolgate::executors::cypher::temporal
