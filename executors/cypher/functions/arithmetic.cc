#include "executors/cypher/functions/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/functions/conversion.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/functions/temporal.h"
#include "executors/cypher/temporal/arithmetic.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher::functions {
namespace {

using values::List;
using values::Value;

absl::Status Undefined(std::string_view op, const Value& a, const Value& b) {
  return TypeFailure("InvalidArgumentType",
                     absl::StrCat("The operator ", ToAbsl(op), " is not defined for ", ToAbsl(values::TypeName(a)),
                                  " and ", ToAbsl(values::TypeName(b)), "."));
}

absl::Status Overflow() {
  return ArithmeticFailure("IntegerOverflow", "The result is beyond the range of a 64-bit integer.");
}

absl::Status DivisionByZero() { return ArithmeticFailure("DivisionByZero", "An integer was divided by zero."); }

bool BothIntegers(const Value& a, const Value& b) { return a.is_integer() && b.is_integer(); }
bool BothNumbers(const Value& a, const Value& b) { return a.is_number() && b.is_number(); }

bool IsDuration(const Value& value) {
  return value.is_temporal() && std::holds_alternative<temporal::Duration>(value.temporal());
}

Value Concatenated(const Value& a, const Value& b) {
  List joined;
  joined.reserve((a.is_list() ? a.list().size() : 1) + (b.is_list() ? b.list().size() : 1));
  for (const Value* part : {&a, &b}) {
    if (part->is_list()) {
      joined.insert(joined.end(), part->list().begin(), part->list().end());
    } else {
      joined.push_back(*part);
    }
  }
  return Value(std::move(joined));
}

bool JoinsText(const Value& value) { return value.is_string() || value.is_number() || value.is_boolean(); }

absl::StatusOr<Value> JoinedText(const Value& a, const Value& b) {
  ASSIGN_OR_RETURN(const Value left, ToString(a));
  ASSIGN_OR_RETURN(const Value right, ToString(b));
  return Value(left.string() + right.string());
}

absl::StatusOr<Value> Scaled(const Value& duration, const Value& factor, bool divide) {
  const temporal::Duration& base = std::get<temporal::Duration>(duration.temporal());
  const auto scale = [&](auto number) { return divide ? base.DividedBy(number) : base.Times(number); };
  return FromTemporal(factor.is_integer() ? scale(factor.integer()) : scale(factor.floating()));
}

}  // namespace

absl::StatusOr<Value> Add(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (BothIntegers(a, b)) {
    int64_t sum = 0;
    if (__builtin_add_overflow(a.integer(), b.integer(), &sum)) return Overflow();
    return Value(sum);
  }
  if (BothNumbers(a, b)) return Value(a.number() + b.number());
  if (a.is_list() || b.is_list()) return Concatenated(a, b);
  if (a.is_string() && b.is_string()) return Value(a.string() + b.string());
  if ((a.is_string() || b.is_string()) && JoinsText(a) && JoinsText(b)) return JoinedText(a, b);
  if (a.is_temporal() && b.is_temporal()) return FromTemporal(temporal::Add(a.temporal(), b.temporal()));
  return Undefined("+", a, b);
}

absl::StatusOr<Value> Subtract(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (BothIntegers(a, b)) {
    int64_t difference = 0;
    if (__builtin_sub_overflow(a.integer(), b.integer(), &difference)) return Overflow();
    return Value(difference);
  }
  if (BothNumbers(a, b)) return Value(a.number() - b.number());
  if (a.is_temporal() && b.is_temporal()) return FromTemporal(temporal::Subtract(a.temporal(), b.temporal()));
  return Undefined("-", a, b);
}

absl::StatusOr<Value> Multiply(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (BothIntegers(a, b)) {
    int64_t product = 0;
    if (__builtin_mul_overflow(a.integer(), b.integer(), &product)) return Overflow();
    return Value(product);
  }
  if (BothNumbers(a, b)) return Value(a.number() * b.number());
  if (IsDuration(a) && b.is_number()) return Scaled(a, b, false);
  if (a.is_number() && IsDuration(b)) return Scaled(b, a, false);
  return Undefined("*", a, b);
}

absl::StatusOr<Value> Divide(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (BothIntegers(a, b)) {
    if (b.integer() == 0) return DivisionByZero();
    if (b.integer() == -1 && a.integer() == std::numeric_limits<int64_t>::min()) return Overflow();
    return Value(a.integer() / b.integer());
  }
  if (BothNumbers(a, b)) return Value(a.number() / b.number());
  if (IsDuration(a) && b.is_number()) return Scaled(a, b, true);
  return Undefined("/", a, b);
}

absl::StatusOr<Value> Modulo(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (BothIntegers(a, b)) {
    if (b.integer() == 0) return DivisionByZero();
    return Value(b.integer() == -1 ? int64_t{0} : a.integer() % b.integer());
  }
  if (BothNumbers(a, b)) return Value(std::fmod(a.number(), b.number()));
  return Undefined("%", a, b);
}

absl::StatusOr<Value> Power(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return Value();
  if (BothNumbers(a, b)) return Value(std::pow(a.number(), b.number()));
  return Undefined("^", a, b);
}

absl::StatusOr<Value> Negate(const Value& a) {
  if (a.is_null()) return Value();
  if (a.is_float()) return Value(-a.floating());
  if (IsDuration(a)) return FromTemporal(std::get<temporal::Duration>(a.temporal()).Negated());
  if (!a.is_integer()) return WrongType("The operator -", "a number", a);
  if (a.integer() == std::numeric_limits<int64_t>::min()) return Overflow();
  return Value(-a.integer());
}

absl::StatusOr<Value> In(const Value& a, const Value& b) {
  if (b.is_null()) return Value();
  if (!b.is_list()) return WrongType("IN", "a List on its right", b);
  bool unknown = false;
  for (const Value& item : b.list()) {
    const values::Ternary equal = values::Equal(a, item);
    if (equal == true) return Value(true);
    unknown |= !equal.has_value();
  }
  return unknown ? Value() : Value(false);
}

absl::StatusOr<Value> Subscript(const Value& container, const Value& index) {
  if (container.is_null() || index.is_null()) return Value();
  if (container.is_map()) {
    if (!index.is_string()) {
      return TypeFailure("MapElementAccessByNonString", "A member of a map is accessed by a String.");
    }
    const auto found = container.map().find(index.string());
    return found == container.map().end() ? Value() : found->second;
  }
  if (!container.is_list()) return WrongType("Access by [ ]", "a List or a Map", container);
  if (!index.is_integer()) {
    return TypeFailure("ListElementAccessByNonInteger", "An element of a list is accessed by an Integer.");
  }
  const List& list = container.list();
  const auto size = static_cast<int64_t>(list.size());
  const int64_t position = index.integer() < 0 ? index.integer() + size : index.integer();
  if (position < 0 || position >= size) return Value();
  return list[static_cast<size_t>(position)];
}

absl::StatusOr<Value> Slice(const Value& list, const Value* from, const Value* to) {
  if (list.is_null()) return Value();
  for (const Value* bound : {from, to}) {
    if (bound != nullptr && bound->is_null()) return Value();
  }
  if (!list.is_list()) return WrongType("A slice", "a List", list);
  const auto size = static_cast<int64_t>(list.list().size());
  int64_t ends[2] = {0, size};
  for (int i = 0; i < 2; ++i) {
    const Value* bound = i == 0 ? from : to;
    if (bound == nullptr) continue;
    if (!bound->is_integer()) return WrongType("A slice", "Integer bounds", *bound);
    ends[i] = std::clamp(bound->integer() < 0 ? bound->integer() + size : bound->integer(), int64_t{0}, size);
  }
  if (ends[0] >= ends[1]) return Value(List());
  return Value(List(list.list().begin() + ends[0], list.list().begin() + ends[1]));
}

}  // namespace toolgate::executors::cypher::functions
