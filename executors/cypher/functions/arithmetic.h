// Operators on values.
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_ARITHMETIC_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_ARITHMETIC_H_

#include "absl/status/statusor.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::functions {

// Each answers null if an operand is null, TypeError/InvalidArgumentType for operands it is not defined for, and
// ArithmeticError when an integer result overflows or an integer is divided by zero.

// Numbers, texts (a number or boolean beside a text becomes text), lists (a list and any other value: the value becomes
// an element), temporal values and durations.
absl::StatusOr<values::Value> Add(const values::Value& a, const values::Value& b);
// Numbers, temporal values and durations.
absl::StatusOr<values::Value> Subtract(const values::Value& a, const values::Value& b);
// Numbers; a duration and a number.
absl::StatusOr<values::Value> Multiply(const values::Value& a, const values::Value& b);
absl::StatusOr<values::Value> Divide(const values::Value& a, const values::Value& b);
// Numbers. Modulo has the sign of the dividend; Power is always a float.
absl::StatusOr<values::Value> Modulo(const values::Value& a, const values::Value& b);
absl::StatusOr<values::Value> Power(const values::Value& a, const values::Value& b);
// A number or a duration.
absl::StatusOr<values::Value> Negate(const values::Value& a);

// a IN b, by Cypher's "=": null if no element is equal and one comparison is null.
absl::StatusOr<values::Value> In(const values::Value& a, const values::Value& b);

// container[index]: an element of a list, counted from its end if negative, or a member of a map. Null beyond the ends
// and for a missing key. The engine handles nodes and relationships.
absl::StatusOr<values::Value> Subscript(const values::Value& container, const values::Value& index);

// list[from..to]. Null if the list or a bound is null; an absent bound is passed as nullptr.
absl::StatusOr<values::Value> Slice(const values::Value& list, const values::Value* from, const values::Value* to);

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_ARITHMETIC_H_
