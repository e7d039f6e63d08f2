// Descriptions of places, values and keys in error messages.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_VALUE_PATH_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_VALUE_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "common/json.h"
#include "common/json_place.h"

namespace toolgate::security::param_validation {

using ValuePath = JsonPlace;

// A JSON pointer; keys are shortened to 64 characters.
std::string PointerTo(const ValuePath* path);

// The token of a JSON pointer without its escapes: the inverse of EscapePointerToken.
std::string UnescapePointerToken(std::string_view token);

// "string of 12 characters", "integer", "object with 3 keys": a value by its kind and size.
std::string DescribeValue(const Json& value);

// A key for people: shortened to 64 characters, control characters and quotes escaped, in quotes.
std::string QuoteKey(std::string_view key);

// The number of Unicode code points.
size_t CountCodePoints(std::string_view utf8);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_VALUE_PATH_H_
