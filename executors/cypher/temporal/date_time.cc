#include "executors/cypher/temporal/date_time.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {

absl::StatusOr<DateTime> DateTime::FromLocal(const LocalDateTime& local, const Zone& zone,
                                             std::optional<int32_t> preferred) {
  const int32_t offset = zone.OffsetAtLocal(local.seconds(), preferred);
  return FromEpoch(local.seconds() - offset, local.time().nanosecond(), zone);
}

absl::StatusOr<DateTime> DateTime::FromEpoch(int64_t seconds, int64_t nanosecond, const Zone& zone) {
  const int32_t offset = zone.OffsetAt(seconds);
  int64_t local_seconds = 0;
  if (__builtin_add_overflow(seconds, int64_t{offset}, &local_seconds)) {
    return OutOfRange("the instant is outside of the years -999999999 to 999999999");
  }
  const absl::StatusOr<LocalDateTime> local = LocalDateTime::FromSeconds(local_seconds, nanosecond);
  if (!local.ok()) return local.status();
  return DateTime(*local, offset, zone);
}

absl::StatusOr<DateTime> DateTime::InZone(const Zone& zone) const {
  return FromEpoch(epoch_seconds(), nanosecond(), zone);
}

absl::StatusOr<DateTime> DateTime::PlusMonths(int64_t months) const {
  const absl::StatusOr<LocalDateTime> local = local_.PlusMonths(months);
  if (!local.ok()) return local.status();
  return FromLocal(*local, zone_, offset_);
}

absl::StatusOr<DateTime> DateTime::PlusDays(int64_t days) const {
  const absl::StatusOr<LocalDateTime> local = local_.PlusDays(days);
  if (!local.ok()) return local.status();
  return FromLocal(*local, zone_, offset_);
}

absl::StatusOr<DateTime> DateTime::PlusSeconds(int64_t seconds, int64_t nanos) const {
  const int64_t sum_of_nanos = nanosecond() + nanos;
  int64_t sum = 0;
  if (__builtin_add_overflow(epoch_seconds() + sum_of_nanos / kNanosPerSecond, seconds, &sum)) {
    return OutOfRange("the seconds to add lead outside of the years -999999999 to 999999999");
  }
  return FromEpoch(sum, sum_of_nanos % kNanosPerSecond, zone_);
}

std::string DateTime::ToString() const {
  const std::string text = local_.ToString() + OffsetText(offset_);
  return zone_.is_offset() ? text : absl::StrCat(text, "[", ToAbsl(zone_.name()), "]");
}

std::strong_ordering operator<=>(const DateTime& a, const DateTime& b) {
  if (const auto order = a.epoch_seconds() <=> b.epoch_seconds(); order != 0) return order;
  if (const auto order = a.nanosecond() <=> b.nanosecond(); order != 0) return order;
  if (const auto order = a.offset_ <=> b.offset_; order != 0) return order;
  return a.zone_.name() <=> b.zone_.name();  // An offset has the empty name.
}

}  // namespace toolgate::executors::cypher::temporal
