// Fields of temporal values, as value.year and value.timezone read them.
#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_FIELD_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_FIELD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::temporal {

using Field = std::variant<int64_t, std::string>;

// InvalidValue when the kind has no field of that name, OutOfRange when the number exceeds 64 bits (such as the
// nanoseconds of a long duration). Fields of a second count from its start: microsecond is 645876 at .645876123.
absl::StatusOr<Field> FieldOf(const Temporal& value, std::string_view name);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_FIELD_H_
