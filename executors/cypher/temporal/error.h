// Errors of temporal values. Every error of this folder is INVALID_ARGUMENT, with the openCypher detail word as a
// payload.
#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ERROR_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace toolgate::executors::cypher::temporal {

// Type URL of the payload that holds the detail word.
inline constexpr std::string_view kDetailUrl = "toolgate/cypher.detail";

// A text, map or unit that describes no temporal value: detail word InvalidArgumentValue.
absl::Status InvalidValue(std::string_view message);

// An argument of a type that the operation does not take: detail word InvalidArgumentType.
absl::Status InvalidType(std::string_view message);

// A result outside of the range of its type: detail word NumberOutOfRange.
absl::Status OutOfRange(std::string_view message);

// The detail word of an error that one of the above made; empty for any other status.
std::string DetailOf(const absl::Status& status);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ERROR_H_
