#include "common/duration_text.h"

#include <array>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace toolgate {
namespace {

constexpr int64_t kMaxSeconds = 315'576'000'000;

struct DurationUnit {
  std::string_view name;
  absl::Duration size;
};

// Largest first.
const std::array<DurationUnit, 7>& DurationUnits() {
  static const std::array<DurationUnit, 7> units = {{{"d", absl::Hours(24)},
                                                     {"h", absl::Hours(1)},
                                                     {"m", absl::Minutes(1)},
                                                     {"s", absl::Seconds(1)},
                                                     {"ms", absl::Milliseconds(1)},
                                                     {"us", absl::Microseconds(1)},
                                                     {"ns", absl::Nanoseconds(1)}}};
  return units;
}

// Digits at the start of `text`, which they are taken from. At most 18, so that they fit.
std::optional<int64_t> TakeDigits(std::string_view& text) {
  size_t length = 0;
  int64_t value = 0;
  for (; length < text.size() && absl::ascii_isdigit(text[length]); ++length) {
    if (length == 18) return std::nullopt;
    value = value * 10 + (text[length] - '0');
  }
  if (length == 0) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

struct Number {
  int64_t whole = 0;
  double fraction = 0;
};

// "12" or "1.25" at the start of `text`, which it is taken from.
std::optional<Number> TakeNumber(std::string_view& text) {
  const auto whole = TakeDigits(text);
  if (!whole.has_value()) return std::nullopt;
  Number number{*whole, 0};
  if (text.empty() || text[0] != '.') return number;
  text.remove_prefix(1);
  const size_t before = text.size();
  const auto digits = TakeDigits(text);
  if (!digits.has_value()) return std::nullopt;
  number.fraction = static_cast<double>(*digits);
  for (size_t i = text.size(); i < before; ++i) number.fraction /= 10;
  return number;
}

}  // namespace

std::optional<absl::Duration> ParseDurationText(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  absl::Duration sum;
  size_t next_unit = 0;
  while (!text.empty()) {
    const auto number = TakeNumber(text);
    if (!number.has_value()) return std::nullopt;
    const std::string_view name = text.substr(0, text.find_first_of("0123456789"));
    text.remove_prefix(name.size());
    while (next_unit < DurationUnits().size() && DurationUnits()[next_unit].name != name) ++next_unit;
    if (next_unit == DurationUnits().size()) return std::nullopt;
    const absl::Duration unit = DurationUnits()[next_unit++].size;
    sum += number->whole * unit + number->fraction * unit;
    if (sum > absl::Seconds(kMaxSeconds)) return std::nullopt;
  }
  return negative ? -sum : sum;
}

std::string DurationText(absl::Duration duration) {
  if (duration == absl::ZeroDuration()) return "0s";
  std::string text;
  if (duration < absl::ZeroDuration()) {
    text = "-";
    duration = -duration;
  }
  for (const DurationUnit& unit : DurationUnits()) {
    const int64_t count = absl::IDivDuration(duration, unit.size, &duration);
    if (count > 0) absl::StrAppend(&text, count, absl::string_view(unit.name.data(), unit.name.size()));
  }
  return text;
}

}  // namespace toolgate
