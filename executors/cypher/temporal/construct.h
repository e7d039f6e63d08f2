// Makes temporal values: date(…), localtime(…), time(…), localdatetime(…), datetime(…) and duration(…).
#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_CONSTRUCT_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_CONSTRUCT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "executors/cypher/temporal/component.h"
#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::temporal {

// The value that a map describes. InvalidValue for unknown, missing, contradictory and out-of-range members,
// InvalidType for a member of the wrong type. A map of nothing but `timezone` describes the present time there; `now`
// is used for that alone. Without a time zone UTC is meant.
absl::StatusOr<Temporal> FromMap(Kind kind, absl::Span<const Component> map, absl::Time now);

// The part of `value` that `kind` can hold; midnight and UTC for the parts that `value` lacks. InvalidType when `value`
// lacks the date or time that `kind` is about, and for durations unless both are.
absl::StatusOr<Temporal> Select(Kind kind, const Temporal& value);

// The present time in UTC. InvalidType for durations.
absl::StatusOr<Temporal> Now(Kind kind, absl::Time now);

// datetime.fromepoch and datetime.fromepochmillis, in UTC. OutOfRange outside of Date's years.
absl::StatusOr<Temporal> FromEpoch(int64_t seconds, int64_t nanoseconds);
absl::StatusOr<Temporal> FromEpochMillis(int64_t milliseconds);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_CONSTRUCT_H_
