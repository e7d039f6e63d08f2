#include "executors/cypher/temporal/time.h"

#include "executors/cypher/temporal/zone.h"

namespace toolgate::executors::cypher::temporal {

Time Time::AtOffset(int32_t offset) const {
  return Time(LocalTime::FromNanosOfDay(utc_nanos() + offset * kNanosPerSecond), offset);
}

std::string Time::ToString() const { return local_.ToString() + OffsetText(offset_); }

std::strong_ordering operator<=>(const Time& a, const Time& b) {
  const std::strong_ordering order = a.utc_nanos() <=> b.utc_nanos();
  return order != 0 ? order : a.offset_ <=> b.offset_;
}

}  // namespace toolgate::executors::cypher::temporal
