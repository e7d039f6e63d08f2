// Values from JSON.
#ifndef TOOLGATE_EXECUTORS_CYPHER_VALUES_JSON_H_
#define TOOLGATE_EXECUTORS_CYPHER_VALUES_JSON_H_

#include "common/json.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::values {

// The value of a JSON value: a number with a point or exponent, or beyond 64 bits, is a float. As deep as `json` is
// nested, which the caller bounds.
Value FromJson(const Json& json);

// A float as a number; "NaN", "Infinity" and "-Infinity", which JSON does not have, as text.
Json FloatJson(double number);

}  // namespace toolgate::executors::cypher::values

#endif  // TOOLGATE_EXECUTORS_CYPHER_VALUES_JSON_H_
