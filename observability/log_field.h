// Parts of a log line.
#ifndef TOOLGATE_OBSERVABILITY_LOG_FIELD_H_
#define TOOLGATE_OBSERVABILITY_LOG_FIELD_H_

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "absl/time/time.h"

namespace toolgate::observability {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// A name and a value, on the stack of the call that logs. Names are snake_case.
class LogField {
 public:
  using Value = std::variant<std::string_view, int64_t, uint64_t, double, bool>;

  template <typename T>
  LogField(std::string_view name, const T& value) : name_(name), value_(Convert(value)) {}  // NOLINT: {"name", value}

  // A field with a text that decides which lines are repeats of each other: lines with different texts are of different
  // kinds. Its values should be few.
  static LogField Key(std::string_view name, std::string_view text) {
    LogField field(name, text);
    field.is_key_ = true;
    return field;
  }

  std::string_view name() const { return name_; }
  const Value& value() const { return value_; }
  bool is_key() const { return is_key_; }

 private:
  template <typename T>
  static Value Convert(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else if constexpr (std::is_same_v<T, absl::Duration>) {
      return absl::ToDoubleSeconds(value);
    } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
      return static_cast<uint64_t>(value);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(value);
    } else {
      return std::string_view(value);
    }
  }

  std::string_view name_;
  Value value_;
  bool is_key_ = false;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOG_FIELD_H_
