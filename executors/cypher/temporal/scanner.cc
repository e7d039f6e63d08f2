#include "executors/cypher/temporal/scanner.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace toolgate::executors::cypher::temporal {

size_t Scanner::DigitsFrom(size_t start) const {
  size_t end = start;
  while (end < rest_.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[end]))) ++end;
  return end - start;
}

size_t Scanner::CountDigits() const { return DigitsFrom(0); }

bool Scanner::Take(char c) {
  if (rest_.empty() || rest_.front() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

std::optional<int64_t> Scanner::TakeNumber(size_t least, size_t most) {
  const size_t count = std::min(CountDigits(), most);
  if (count < least) return std::nullopt;
  int64_t number = 0;
  for (const char digit : rest_.substr(0, count)) number = number * 10 + (digit - '0');
  rest_.remove_prefix(count);
  return number;
}

std::string_view Scanner::TakeDecimal() {
  const size_t sign = !rest_.empty() && (rest_.front() == '-' || rest_.front() == '+') ? 1 : 0;
  size_t end = sign + DigitsFrom(sign);
  if (end == sign) return "";
  const bool has_point = end < rest_.size() && (rest_[end] == '.' || rest_[end] == ',');
  if (has_point && DigitsFrom(end + 1) > 0) end += 1 + DigitsFrom(end + 1);
  const std::string_view number = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return number;
}

std::optional<int64_t> Scanner::TakeFractionOfSecond() {
  if (!Take('.') && !Take(',')) return 0;
  const size_t digits = CountDigits();
  if (digits == 0 || digits > 9) return std::nullopt;
  int64_t nanos = *TakeNumber(digits, digits);
  for (size_t i = digits; i < 9; ++i) nanos *= 10;
  return nanos;
}

}  // namespace toolgate::executors::cypher::temporal
