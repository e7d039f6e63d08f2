// Functions and fields of dates, times and durations.
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_TEMPORAL_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_TEMPORAL_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "executors/cypher/syntax/functions.h"
#include "executors/cypher/temporal/temporal.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::functions {

// A call of one of the functions from kDate to kTimestamp. `now` is the present of the statement.
absl::StatusOr<values::Value> CallTemporal(syntax::FunctionId function, absl::Span<const values::Value> arguments,
                                           absl::Time now);

// value.year, duration.months.
absl::StatusOr<values::Value> TemporalField(const temporal::Temporal& value, std::string_view field);

// The value of a temporal operation, or its error as the CypherError that the detail word asks for.
absl::Status TemporalFailure(const absl::Status& status);
template <typename T>
absl::StatusOr<values::Value> FromTemporal(absl::StatusOr<T> result) {
  if (!result.ok()) return TemporalFailure(result.status());
  return values::Value(temporal::Temporal(*std::move(result)));
}

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_TEMPORAL_H_
