#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_MAP_FIELDS_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_MAP_FIELDS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "executors/cypher/temporal/component.h"
#include "executors/cypher/temporal/temporal.h"
#include "executors/cypher/temporal/zone.h"

namespace toolgate::executors::cypher::temporal {

// The members of a map that describe a date.
struct DateFields {
  std::optional<int64_t> year, quarter, month, week, day, day_of_week, day_of_quarter, ordinal_day;

  bool empty() const;
};

// The members of a map that describe a time of day.
struct TimeFields {
  std::optional<int64_t> hour, minute, second, millisecond, microsecond, nanosecond;

  bool has_fraction() const { return millisecond || microsecond || nanosecond; }
  bool empty() const { return !hour && !minute && !second && !has_fraction(); }
};

// A map for an instant or a part of one, by member. A plain value.
struct MapFields {
  DateFields date;
  TimeFields time;
  std::optional<Temporal> from_date, from_time, from_datetime;  // Members date, time and datetime.
  std::optional<int64_t> epoch_seconds, epoch_millis;
  std::optional<Zone> timezone;

  // Sorts the members. InvalidValue for one that `kind` (not a duration) has no use for and for a zone that there is
  // not; InvalidType for a value of the wrong type.
  static absl::StatusOr<MapFields> Read(Kind kind, absl::Span<const Component> map);
};

// The duration that a map describes: years, quarters, months, weeks, days, hours, minutes, seconds, milliseconds,
// microseconds, nanoseconds, each an integer or a float. Errors as Read, and OutOfRange.
absl::StatusOr<Duration> DurationFromMap(absl::Span<const Component> map);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_MAP_FIELDS_H_
