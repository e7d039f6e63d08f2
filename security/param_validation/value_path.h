// Where in a value something is, kept as a chain on the stack so that it costs nothing until an error needs it.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_VALUE_PATH_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_VALUE_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "common/json.h"

namespace toolgate::security::param_validation {

// One step from the value around it; nullptr is the whole value. A key is a view of the object's own.
struct ValuePath {
  const ValuePath* parent = nullptr;
  std::string_view key;
  size_t index = 0;
  bool in_array = false;

  static ValuePath Member(const ValuePath* parent, std::string_view key) { return {parent, key, 0, false}; }
  static ValuePath Item(const ValuePath* parent, size_t index) { return {parent, {}, index, true}; }
};

// A JSON pointer; keys are shortened to 64 characters.
std::string PointerTo(const ValuePath* path);

// "string of 12 characters", "integer", "object with 3 keys": a value by its kind and size.
std::string DescribeValue(const Json& value);

// A key for people: shortened to 64 characters, control characters and quotes escaped, in quotes.
std::string QuoteKey(std::string_view key);

// The number of Unicode code points.
size_t CountCodePoints(std::string_view utf8);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_VALUE_PATH_H_
