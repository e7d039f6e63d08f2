#include "executors/cypher/functions/conversion.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/values/text.h"

namespace toolgate::executors::cypher::functions {
namespace {

using values::Type;
using values::Value;

absl::Status Inconvertible(std::string_view function, const Value& value) {
  return TypeFailure("InvalidArgumentValue", absl::StrCat(ToAbsl(function), "() does not convert a value of type ",
                                                          ToAbsl(values::TypeName(value)), "."));
}

// Whether the text is a decimal number: no names of numbers, no hexadecimal, no white space.
bool LooksDecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
}

std::optional<double> ParseFloat(std::string_view text) {
  double number = 0;
  if (!LooksDecimal(text) || !absl::SimpleAtod(ToAbsl(text), &number)) return std::nullopt;
  return number;
}

Value Truncated(double number) {
  if (!(number >= -0x1p63 && number < 0x1p63)) return Value();
  return Value(static_cast<int64_t>(number));
}

Value IntegerOfText(std::string_view text) {
  int64_t whole = 0;
  if (LooksDecimal(text) && absl::SimpleAtoi(ToAbsl(text), &whole)) return Value(whole);
  const std::optional<double> number = ParseFloat(text);
  return number.has_value() ? Truncated(*number) : Value();
}

}  // namespace

absl::StatusOr<Value> ToBoolean(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
    case Type::kBoolean:
      return value;
    case Type::kInteger:
      return Value(value.integer() != 0);
    case Type::kString:
      if (absl::EqualsIgnoreCase(value.string(), "true")) return Value(true);
      if (absl::EqualsIgnoreCase(value.string(), "false")) return Value(false);
      return Value();
    default:
      return Inconvertible("toBoolean", value);
  }
}

absl::StatusOr<Value> ToFloat(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
    case Type::kFloat:
      return value;
    case Type::kInteger:
      return Value(value.number());
    case Type::kString: {
      const std::optional<double> number = ParseFloat(value.string());
      return number.has_value() ? Value(*number) : Value();
    }
    default:
      return Inconvertible("toFloat", value);
  }
}

absl::StatusOr<Value> ToInteger(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
    case Type::kInteger:
      return value;
    case Type::kBoolean:
      return Value(value.boolean() ? 1 : 0);
    case Type::kFloat:
      return Truncated(value.floating());
    case Type::kString:
      return IntegerOfText(value.string());
    default:
      return Inconvertible("toInteger", value);
  }
}

absl::StatusOr<Value> ToString(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
    case Type::kString:
      return value;
    case Type::kBoolean:
      return Value(value.boolean() ? "true" : "false");
    case Type::kInteger:
      return Value(std::to_string(value.integer()));
    case Type::kFloat:
      return Value(values::FloatText(value.floating()));
    case Type::kTemporal:
      return Value(temporal::ToString(value.temporal()));
    default:
      return Inconvertible("toString", value);
  }
}

}  // namespace toolgate::executors::cypher::functions
