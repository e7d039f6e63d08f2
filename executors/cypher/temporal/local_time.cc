#include "executors/cypher/temporal/local_time.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

bool IsBelow(int64_t value, int64_t end) { return value >= 0 && value < end; }

}  // namespace

absl::StatusOr<LocalTime> LocalTime::Create(int64_t hour, int64_t minute, int64_t second, int64_t nanosecond) {
  if (!IsBelow(hour, 24)) return InvalidValue(absl::StrCat("hour is ", hour, "; it must be 0 to 23"));
  if (!IsBelow(minute, 60)) return InvalidValue(absl::StrCat("minute is ", minute, "; it must be 0 to 59"));
  if (!IsBelow(second, 60)) return InvalidValue(absl::StrCat("second is ", second, "; it must be 0 to 59"));
  if (!IsBelow(nanosecond, kNanosPerSecond)) {
    return InvalidValue(absl::StrCat("nanosecond is ", nanosecond, "; it must be 0 to 999999999"));
  }
  return LocalTime(((hour * 60 + minute) * 60 + second) * kNanosPerSecond + nanosecond);
}

LocalTime LocalTime::FromNanosOfDay(int64_t nanos) {
  return LocalTime((nanos % kNanosPerDay + kNanosPerDay) % kNanosPerDay);
}

std::string LocalTime::ToString() const {
  std::string text = absl::StrFormat("%02d:%02d", hour(), minute());
  if (second() == 0 && nanosecond() == 0) return text;
  absl::StrAppendFormat(&text, ":%02d", second());
  return text + FractionOfSecond(nanosecond());
}

std::string FractionOfSecond(int64_t nanos) {
  if (nanos == 0) return "";
  std::string text = absl::StrFormat(".%09d", nanos);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace toolgate::executors::cypher::temporal
