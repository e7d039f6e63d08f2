// + and - with temporal values. For * and / see Duration.
#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ARITHMETIC_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ARITHMETIC_H_

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::temporal {

// An instant and a duration in either order, or two durations. Months are added first (and the day reduced to the last
// one of a shorter month), then days, then seconds; a date takes whole days of the seconds, a time of day wraps and
// takes nothing of months and days. InvalidType for two instants, OutOfRange when the result leaves its type's range.
absl::StatusOr<Temporal> Add(const Temporal& a, const Temporal& b);

// A duration from an instant or from a duration. Errors as Add.
absl::StatusOr<Temporal> Subtract(const Temporal& a, const Temporal& b);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ARITHMETIC_H_
