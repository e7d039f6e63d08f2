// Temporal values of openCypher as texts, for tables.
#ifndef TOOLGATE_TESTS_SUPPORT_TEMPORAL_TEXT_H_
#define TOOLGATE_TESTS_SUPPORT_TEMPORAL_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "executors/cypher/temporal/error.h"
#include "executors/cypher/temporal/parse.h"
#include "executors/cypher/temporal/temporal.h"

namespace toolgate::testing {

// The value of a function's name and its text, such as "date 2015-07-21". Both must be valid.
inline executors::cypher::temporal::Temporal TemporalOf(std::string_view spec) {
  const size_t blank = spec.find(' ');
  const auto kind = executors::cypher::temporal::KindOfFunction(spec.substr(0, blank));
  return executors::cypher::temporal::Parse(kind.value(), spec.substr(blank + 1)).value();
}

template <typename T>
std::string TextOf(const T& value) {
  return value.ToString();
}
inline std::string TextOf(const executors::cypher::temporal::Temporal& value) {
  return executors::cypher::temporal::ToString(value);
}
// The value's text, or the detail word of the error.
template <typename T>
std::string TextOf(const absl::StatusOr<T>& value) {
  return value.ok() ? TextOf(*value) : executors::cypher::temporal::DetailOf(value.status());
}

// Detail words, as TextOf answers them.
inline constexpr char kInvalidValue[] = "InvalidArgumentValue";
inline constexpr char kInvalidType[] = "InvalidArgumentType";
inline constexpr char kOutOfRange[] = "NumberOutOfRange";

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TEMPORAL_TEXT_H_
