// Equality as defined by JSON Schema.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_EQUAL_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_EQUAL_H_

#include <cstddef>
#include <optional>
#include <utility>

#include "common/json.h"

namespace toolgate::security::param_validation {

// Numbers compare by value (1 equals 1.0), objects ignoring the order of their keys; false is not 0.
bool JsonEqual(const Json& left, const Json& right);

// Equal values have equal hashes.
size_t JsonHash(const Json& value);

// The indices of two equal items of an array, or nothing. Linear on average, whatever the items are.
std::optional<std::pair<size_t, size_t>> FindEqualItems(const Json& array);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_EQUAL_H_
