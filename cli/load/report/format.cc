#include "cli/load/report/format.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/absl_bridge.h"

namespace toolgate::cli::load::report {
namespace {

struct Unit {
  double factor;
  std::string_view name;
};

// Three significant digits, without an exponent.
std::string ThreeDigits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return absl::StrFormat("%.0f", value);
  if (size >= 9.995) return absl::StrFormat("%.1f", value);
  return absl::StrFormat("%.2f", value);
}

template <size_t N>
std::string Scaled(double value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    // A value that would be rounded up to 1000 takes the next larger unit.
    if (std::abs(value) >= 0.9995 * unit.factor) {
      return absl::StrCat(ThreeDigits(value / unit.factor), " ", ToAbsl(unit.name));
    }
  }
  return absl::StrCat(value == 0 ? "0" : ThreeDigits(value / units.back().factor), " ", ToAbsl(units.back().name));
}

}  // namespace

std::string FormatSeconds(double seconds) {
  static constexpr std::array<Unit, 4> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  return Scaled(seconds, kUnits);
}

std::string FormatCount(int64_t count) {
  std::string digits = absl::StrCat(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string FormatRate(double rate) {
  if (std::abs(rate) >= 99.95) return FormatCount(std::llround(rate));
  return rate == 0 ? "0" : ThreeDigits(rate);
}

std::string FormatPercent(double share) {
  const double percent = share * 100;
  if (percent == 0) return "0 %";
  if (std::abs(percent) < 0.01) return absl::StrFormat("%.4f %%", percent);
  return absl::StrCat(ThreeDigits(percent), " %");
}

std::string FormatBytes(double bytes) {
  static constexpr std::array<Unit, 4> kUnits = {
      {{1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024, "KiB"}, {1, "B"}}};
  return Scaled(bytes, kUnits);
}

std::string Plural(int64_t count, std::string_view noun) {
  return absl::StrCat(FormatCount(count), " ", ToAbsl(noun), count == 1 ? "" : "s");
}

}  // namespace toolgate::cli::load::report
