// toBoolean, toFloat, toInteger and toString.
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_CONVERSION_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_CONVERSION_H_

#include "absl/status/statusor.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::functions {

// Each answers null for null and for a text that has no such value, and TypeError/InvalidArgumentValue for a value of a
// type that it does not convert.

// Booleans, the texts "true" and "false" in any case, integers (all but 0 are true).
absl::StatusOr<values::Value> ToBoolean(const values::Value& value);
// Numbers and texts.
absl::StatusOr<values::Value> ToFloat(const values::Value& value);
// Numbers, texts and booleans. Fractions are cut off; a float beyond the range is null.
absl::StatusOr<values::Value> ToInteger(const values::Value& value);
// Everything but lists, maps, nodes, relationships and paths.
absl::StatusOr<values::Value> ToString(const values::Value& value);

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_CONVERSION_H_
