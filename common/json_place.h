// Place in a JSON value, kept as a chain on the stack so that it costs nothing until somebody asks.
#ifndef TOOLGATE_COMMON_JSON_PLACE_H_
#define TOOLGATE_COMMON_JSON_PLACE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

namespace toolgate {

// One step from the value around it; nullptr is the whole value. A key is a view of the object's own.
struct JsonPlace {
  const JsonPlace* parent = nullptr;
  std::string_view key;
  size_t index = 0;
  bool in_array = false;

  static JsonPlace Member(const JsonPlace* parent, std::string_view key) { return {parent, key, 0, false}; }
  static JsonPlace Item(const JsonPlace* parent, size_t index) { return {parent, {}, index, true}; }
};

// The place as a JSON pointer (RFC 6901), "" for nullptr. `shown` is what is written of a key, before it is escaped.
std::string JsonPointer(const JsonPlace* place, absl::FunctionRef<std::string(std::string_view)> shown);
// With whole keys.
std::string JsonPointer(const JsonPlace* place);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_JSON_PLACE_H_
