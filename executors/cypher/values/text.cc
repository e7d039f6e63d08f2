#include "executors/cypher/values/text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace toolgate::executors::cypher::values {
namespace {

std::string Shortest(double number, std::chars_format format) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format);
  return std::string(buffer.data(), end);
}

// "1.5e+10" as "1.5E10".
std::string ScientificText(double number) {
  std::string text = Shortest(number, std::chars_format::scientific);
  const size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  const int exponent = std::stoi(text.substr(e + 1));
  return mantissa + "E" + std::to_string(exponent);
}

}  // namespace

std::string FloatText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  const double magnitude = std::abs(number);
  if (magnitude != 0 && (magnitude < 1e-3 || magnitude >= 1e7)) return ScientificText(number);
  std::string text = Shortest(number, std::chars_format::fixed);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace toolgate::executors::cypher::values
