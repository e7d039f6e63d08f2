#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DECIMAL_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DECIMAL_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace toolgate::executors::cypher::temporal {

// A decimal number with 18 digits after the point, so that 0.1 days are exactly 8640 seconds. A value.
struct Decimal {
  static constexpr int64_t kOne = 1'000'000'000'000'000'000;

  int64_t whole = 0;
  int64_t fraction = 0;  // In parts of kOne, with the sign of the number; less than kOne in size.

  // The shortest decimal number that denotes the double; digits after the 18th are cut off. OutOfRange when it is not
  // finite or its whole part exceeds 64 bits.
  static absl::StatusOr<Decimal> FromDouble(double number);

  // An optional sign, digits and, after "." or ",", more digits. InvalidValue for other text, OutOfRange as above.
  static absl::StatusOr<Decimal> Parse(std::string_view text);

  // `whole` is never the least number of 64 bits.
  Decimal Negated() const { return {-whole, -fraction}; }

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_DECIMAL_H_
