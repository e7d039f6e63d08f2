// Exact arithmetic on JSON numbers, however they are stored.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_NUMBER_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_NUMBER_H_

#include <compare>
#include <cstdint>
#include <string>

#include "common/json.h"

namespace toolgate::security::param_validation {

// The decimal that a JSON number was written as: digits * 10^exponent. For a double, the shortest decimal that reads
// back as the same double, which is what its author wrote unless that had more than 17 digits.
struct Decimal {
  bool negative = false;
  uint64_t digits = 0;
  int exponent = 0;
};

// `number` must be a number.
Decimal ToDecimal(const Json& number);

// Compares without rounding 64-bit integers to doubles. Both must be numbers.
std::partial_ordering CompareNumbers(const Json& left, const Json& right);

// True if value / divisor is an integer, computed on the decimals, so that 0.0075 is a multiple of 0.0001. `divisor`
// must be positive.
bool IsMultipleOf(const Decimal& value, const Decimal& divisor);

// 3, 3.0 and 3e0 are integers.
bool IsInteger(const Json& number);

// For messages.
std::string NumberText(const Json& number);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_NUMBER_H_
