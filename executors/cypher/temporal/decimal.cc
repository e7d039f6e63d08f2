#include "executors/cypher/temporal/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

constexpr size_t kFractionDigits = 18;
constexpr double kEnd = 9'223'372'036'854'775'808.0;  // 2^63.

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
}

// The first 18 digits, as parts of Decimal::kOne.
int64_t FractionOf(std::string_view digits) {
  int64_t fraction = 0;
  for (size_t i = 0; i < kFractionDigits; ++i) {
    fraction = fraction * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return fraction;
}

absl::Status NoNumber(std::string_view text) {
  return InvalidValue(absl::StrCat("'", ToAbsl(text.substr(0, 40)), "' is no decimal number such as 1.5"));
}

}  // namespace

absl::StatusOr<Decimal> Decimal::FromDouble(double number) {
  if (!(std::abs(number) < kEnd)) return OutOfRange("the number is not finite, or its whole part exceeds 64 bits");
  // Shorter than 400 characters: 18 before the point, and the least double has 324 zeros after it.
  std::array<char, 400> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return OutOfRange("the number has too many digits");
  return Parse(std::string_view(text.data(), static_cast<size_t>(end - text.data())));
}

absl::StatusOr<Decimal> Decimal::Parse(std::string_view text) {
  const bool has_sign = !text.empty() && (text.front() == '-' || text.front() == '+');
  const bool negative = has_sign && text.front() == '-';
  const std::string_view digits = text.substr(has_sign ? 1 : 0);
  const size_t point = digits.find_first_of(".,");
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? "0" : digits.substr(point + 1);
  if (!IsDigits(whole) || !IsDigits(fraction)) return NoNumber(text);
  Decimal result;
  if (!absl::SimpleAtoi(ToAbsl(whole), &result.whole)) {
    return OutOfRange(absl::StrCat("'", ToAbsl(text.substr(0, 40)), "' exceeds 64 bits"));
  }
  result.fraction = FractionOf(fraction);
  return negative ? result.Negated() : result;
}

}  // namespace toolgate::executors::cypher::temporal
