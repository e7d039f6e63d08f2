// Mathematical functions.
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_MATHEMATICS_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_MATHEMATICS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "executors/cypher/syntax/functions.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::functions {

// A call of one of the functions from kAbs to kTan, except kRand. Null for a null argument, TypeError for one that is
// no number. Outside of a function's domain the result is NaN.
absl::StatusOr<values::Value> CallMathematics(syntax::FunctionId function, absl::Span<const values::Value> arguments);

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_MATHEMATICS_H_
