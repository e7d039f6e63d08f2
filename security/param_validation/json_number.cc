#include "security/param_validation/json_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace toolgate::security::param_validation {
namespace {

using Wide = unsigned __int128;

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

Decimal FromDouble(double value) {
  std::array<char, 40> buffer;
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  Decimal decimal;
  const char* at = buffer.data();
  if (at != written.ptr && *at == '-') {
    decimal.negative = true;
    ++at;
  }
  int fraction_digits = 0;
  bool in_fraction = false;
  for (; at != written.ptr && *at != 'e'; ++at) {
    if (*at == '.') {
      in_fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<uint64_t>(*at - '0');
    if (in_fraction) ++fraction_digits;
  }
  if (at != written.ptr && *++at == '+') ++at;
  std::from_chars(at, written.ptr, decimal.exponent);
  decimal.exponent -= fraction_digits;
  return decimal;
}

uint64_t MultiplyModulo(uint64_t a, uint64_t b, uint64_t modulus) {
  return static_cast<uint64_t>(Wide{a} * b % modulus);
}

uint64_t TenToThe(int exponent, uint64_t modulus) {
  uint64_t result = 1 % modulus;
  uint64_t base = 10 % modulus;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = MultiplyModulo(result, base, modulus);
    base = MultiplyModulo(base, base, modulus);
  }
  return result;
}

std::partial_ordering CompareToDouble(int64_t left, double right) {
  if (std::isnan(right)) return std::partial_ordering::unordered;
  if (right >= kTwoTo63) return std::partial_ordering::less;
  if (right < -kTwoTo63) return std::partial_ordering::greater;
  const double whole = std::trunc(right);
  if (const auto order = left <=> static_cast<int64_t>(whole); std::is_neq(order)) return order;
  return whole <=> right;
}

std::partial_ordering CompareToDouble(uint64_t left, double right) {
  if (std::isnan(right)) return std::partial_ordering::unordered;
  if (right >= kTwoTo64) return std::partial_ordering::less;
  if (right < 0) return std::partial_ordering::greater;
  const double whole = std::trunc(right);
  if (const auto order = left <=> static_cast<uint64_t>(whole); std::is_neq(order)) return order;
  return whole <=> right;
}

std::partial_ordering Flip(std::partial_ordering order) {
  if (std::is_lt(order)) return std::partial_ordering::greater;
  if (std::is_gt(order)) return std::partial_ordering::less;
  return order;
}

}  // namespace

Decimal ToDecimal(const Json& number) {
  if (number.is_number_unsigned()) return {false, number.get<uint64_t>(), 0};
  if (number.is_number_integer()) {
    const auto value = number.get<int64_t>();
    return {value < 0, value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value), 0};
  }
  return FromDouble(number.get<double>());
}

std::partial_ordering CompareNumbers(const Json& left, const Json& right) {
  if (left.is_number_float()) {
    const auto value = left.get<double>();
    if (right.is_number_float()) return value <=> right.get<double>();
    return Flip(CompareNumbers(right, left));
  }
  if (right.is_number_float()) {
    const auto bound = right.get<double>();
    return left.is_number_unsigned() ? CompareToDouble(left.get<uint64_t>(), bound)
                                     : CompareToDouble(left.get<int64_t>(), bound);
  }
  const bool left_negative = !left.is_number_unsigned() && left.get<int64_t>() < 0;
  const bool right_negative = !right.is_number_unsigned() && right.get<int64_t>() < 0;
  if (left_negative != right_negative) {
    return left_negative ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return left_negative ? std::partial_ordering(left.get<int64_t>() <=> right.get<int64_t>())
                       : std::partial_ordering(left.get<uint64_t>() <=> right.get<uint64_t>());
}

bool IsMultipleOf(const Decimal& value, const Decimal& divisor) {
  if (value.digits == 0) return true;
  const int shift = value.exponent - divisor.exponent;
  if (shift >= 0) {
    return MultiplyModulo(value.digits % divisor.digits, TenToThe(shift, divisor.digits), divisor.digits) == 0;
  }
  // Beyond this shift the divisor is larger than any value.
  if (-shift >= 20) return false;
  Wide scaled = divisor.digits;
  for (int i = 0; i < -shift; ++i) scaled *= 10;
  return value.digits % scaled == 0;
}

bool IsInteger(const Json& number) {
  if (!number.is_number_float()) return number.is_number_integer();
  const auto value = number.get<double>();
  return value == std::trunc(value);
}

std::string NumberText(const Json& number) { return DumpJson(number); }

}  // namespace toolgate::security::param_validation
