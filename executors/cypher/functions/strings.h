// Functions of texts. Positions and lengths count characters (code points).
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_STRINGS_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_STRINGS_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "executors/cypher/syntax/functions.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::functions {

// A call of one of the functions from kLeft to kTrim. Null for a null argument, TypeError for one of a wrong type,
// ArgumentError for a negative length. A result beyond `max_bytes` is refused before it is made.
absl::StatusOr<values::Value> CallString(syntax::FunctionId function, absl::Span<const values::Value> arguments,
                                         size_t max_bytes);

// The first place of `part` at or after `from`, in bytes, or npos. Takes time in proportion to the text, whatever both
// contain.
size_t Find(std::string_view text, std::string_view part, size_t from = 0);

// The characters in reverse.
values::Value Reversed(std::string_view text);

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_STRINGS_H_
