// Equality, comparison, order and equivalence of values.
#ifndef TOOLGATE_EXECUTORS_CYPHER_VALUES_COMPARISON_H_
#define TOOLGATE_EXECUTORS_CYPHER_VALUES_COMPARISON_H_

#include <compare>
#include <cstddef>
#include <optional>

#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::values {

// Truth of three-valued logic; nullopt is null.
using Ternary = std::optional<bool>;

// The operator "=": null if the answer depends on a null; false across types, except that 1 = 1.0; false for NaN.
Ternary Equal(const Value& a, const Value& b);

// The operators "<", "<=", ">" and ">=". Nullopt if the operands are not comparable: nulls, and types that differ or
// have no order; then the operator answers null. Unordered if one of two numbers is NaN; then it answers false.
std::optional<std::partial_ordering> Compare(const Value& a, const Value& b);

// The order of ORDER BY, min and max, total over all values: maps, nodes, relationships, lists, paths, date-times,
// local date-times, dates, times, local times, durations, strings, booleans, numbers, NaN, null.
std::weak_ordering Order(const Value& a, const Value& b);

// Equivalence of DISTINCT and grouping: Order finds no difference. Null is equivalent to null, NaN to NaN, 1 to 1.0.
inline bool Equivalent(const Value& a, const Value& b) { return Order(a, b) == std::weak_ordering::equivalent; }

// Equal for equivalent values.
size_t Hash(const Value& value);

}  // namespace toolgate::executors::cypher::values

#endif  // TOOLGATE_EXECUTORS_CYPHER_VALUES_COMPARISON_H_
