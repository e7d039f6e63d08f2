#include "executors/cypher/functions/mathematics.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "executors/cypher/functions/failure.h"

namespace toolgate::executors::cypher::functions {
namespace {

using syntax::FunctionId;
using values::Value;

absl::StatusOr<Value> Absolute(const Value& number) {
  if (number.is_float()) return Value(std::abs(number.floating()));
  if (number.integer() == std::numeric_limits<int64_t>::min()) {
    return ArithmeticFailure("IntegerOverflow", "The result is beyond the range of a 64-bit integer.");
  }
  return Value(std::abs(number.integer()));
}

int Sign(double number) { return (number > 0) - (number < 0); }

// Halves are rounded towards positive infinity.
double Round(double number) {
  const double floor = std::floor(number);
  return number - floor >= 0.5 ? floor + 1 : floor;
}

double Haversin(double angle) { return (1 - std::cos(angle)) / 2; }

double OfOne(FunctionId function, double x) {
  switch (function) {
    case FunctionId::kAcos:
      return std::acos(x);
    case FunctionId::kAsin:
      return std::asin(x);
    case FunctionId::kAtan:
      return std::atan(x);
    case FunctionId::kCeil:
      return std::ceil(x);
    case FunctionId::kCos:
      return std::cos(x);
    case FunctionId::kCot:
      return 1 / std::tan(x);
    case FunctionId::kDegrees:
      return x * 180 / std::numbers::pi;
    case FunctionId::kExp:
      return std::exp(x);
    case FunctionId::kFloor:
      return std::floor(x);
    case FunctionId::kHaversin:
      return Haversin(x);
    case FunctionId::kLog:
      return std::log(x);
    case FunctionId::kLog10:
      return std::log10(x);
    case FunctionId::kRadians:
      return x * std::numbers::pi / 180;
    case FunctionId::kRound:
      return Round(x);
    case FunctionId::kSin:
      return std::sin(x);
    case FunctionId::kSqrt:
      return std::sqrt(x);
    case FunctionId::kTan:
      return std::tan(x);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

absl::StatusOr<Value> CallMathematics(FunctionId function, absl::Span<const Value> arguments) {
  for (const Value& argument : arguments) {
    if (argument.is_null()) return Value();
    if (!argument.is_number()) return WrongType("A mathematical function", "a number", argument);
  }
  switch (function) {
    case FunctionId::kE:
      return Value(std::numbers::e);
    case FunctionId::kPi:
      return Value(std::numbers::pi);
    case FunctionId::kAbs:
      return Absolute(arguments[0]);
    case FunctionId::kSign:
      return Value(Sign(arguments[0].number()));
    case FunctionId::kAtan2:
      return Value(std::atan2(arguments[0].number(), arguments[1].number()));
    default:
      return Value(OfOne(function, arguments[0].number()));
  }
}

}  // namespace toolgate::executors::cypher::functions
