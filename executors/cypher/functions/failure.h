// Failures of a running query.
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_FAILURE_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_FAILURE_H_

#include <string_view>

#include "absl/status/status.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::functions {

// A CypherError of phase kRuntime without a position.
absl::Status Failure(std::string_view kind, std::string_view detail, std::string_view message);

inline absl::Status TypeFailure(std::string_view detail, std::string_view message) {
  return Failure("TypeError", detail, message);
}
inline absl::Status ArgumentFailure(std::string_view detail, std::string_view message) {
  return Failure("ArgumentError", detail, message);
}
inline absl::Status ArithmeticFailure(std::string_view detail, std::string_view message) {
  return Failure("ArithmeticError", detail, message);
}

// "toUpper() needs a String, not an Integer.", as TypeError/InvalidArgumentType.
absl::Status WrongType(std::string_view what, std::string_view needed, const values::Value& got);

// Refusal of a value that is too large or nested too deeply: "ResourceError" with the detail "MemoryLimitExceeded" or
// "NestingTooDeep".
absl::Status TooLarge(std::string_view what);
absl::Status TooDeep();

// Levels of lists and maps in one value.
inline constexpr int kMaxValueDepth = 200;

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_FAILURE_H_
