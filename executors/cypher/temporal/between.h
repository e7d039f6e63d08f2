// duration.between and its siblings.
#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_BETWEEN_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_BETWEEN_H_

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::temporal {

// The way from `from` to `to`; negative when `to` is the earlier one. A side without a date takes that of the other,
// one without a time midnight, one without a time zone that of the other. InvalidType when a side is a duration.

// In months, then days, then seconds.
absl::StatusOr<Duration> Between(const Temporal& from, const Temporal& to);
// In whole months or days alone, cut off towards zero; zero when a side has no date.
absl::StatusOr<Duration> InMonths(const Temporal& from, const Temporal& to);
absl::StatusOr<Duration> InDays(const Temporal& from, const Temporal& to);
// In seconds and nanoseconds alone, as they pass on the time line.
absl::StatusOr<Duration> InSeconds(const Temporal& from, const Temporal& to);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_BETWEEN_H_
