// date.truncate and its siblings.
#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TRUNCATE_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TRUNCATE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "executors/cypher/temporal/component.h"
#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::temporal {

// `value` with everything below `unit` set to its least, as a value of `kind`; then the members of `map` set, where
// `timezone` keeps the local time. Units, in any case: millennium, century, decade, year, weekYear, quarter, month,
// week, day, hour, minute, second, millisecond, microsecond. InvalidValue for another unit, one that `kind` or `value`
// has no part of, and as FromMap answers it; InvalidType for durations.
absl::StatusOr<Temporal> Truncate(Kind kind, std::string_view unit, const Temporal& value,
                                  absl::Span<const Component> map);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_TRUNCATE_H_
