#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DATE_TIME_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DATE_TIME_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/local_date_time.h"
#include "executors/cypher/temporal/zone.h"

namespace toolgate::executors::cypher::temporal {

// An instant in a time zone. Ordered by instant, then by offset, then by zone (offsets before names); equal only when
// local time and zone are. A value. Factories and arithmetic answer OutOfRange when the local date leaves Date's range.
class DateTime {
 public:
  DateTime() = default;  // 1970-01-01T00:00Z.

  // A local time that the zone's clock skips moves forward by the length of the gap; of one that it shows twice,
  // `preferred` chooses, or the first is taken.
  static absl::StatusOr<DateTime> FromLocal(const LocalDateTime& local, const Zone& zone,
                                            std::optional<int32_t> preferred = std::nullopt);
  // Seconds since 1970 in UTC.
  static absl::StatusOr<DateTime> FromEpoch(int64_t seconds, int64_t nanosecond, const Zone& zone);

  const LocalDateTime& local() const { return local_; }
  const Zone& zone() const { return zone_; }
  int32_t offset() const { return offset_; }
  int64_t epoch_seconds() const { return local_.seconds() - offset_; }
  int64_t nanosecond() const { return local_.time().nanosecond(); }

  // The same instant in another zone.
  absl::StatusOr<DateTime> InZone(const Zone& zone) const;

  // Months and days count on the local clock, seconds on the time line. `nanos` is 0 to 999,999,999.
  absl::StatusOr<DateTime> PlusMonths(int64_t months) const;
  absl::StatusOr<DateTime> PlusDays(int64_t days) const;
  absl::StatusOr<DateTime> PlusSeconds(int64_t seconds, int64_t nanos) const;

  // Local time, offset and, for a named zone, its name in brackets.
  std::string ToString() const;

  friend bool operator==(const DateTime& a, const DateTime& b) {
    return a.local_ == b.local_ && a.zone_ == b.zone_ && a.offset_ == b.offset_;
  }
  friend std::strong_ordering operator<=>(const DateTime& a, const DateTime& b);

 private:
  DateTime(LocalDateTime local, int32_t offset, const Zone& zone) : local_(local), zone_(zone), offset_(offset) {}

  LocalDateTime local_;
  Zone zone_;
  int32_t offset_ = 0;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DATE_TIME_H_
