#include "common/http/retry_delay.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "common/absl_bridge.h"

namespace toolgate::http {
namespace {

constexpr absl::Duration kFirst = absl::Milliseconds(500);
constexpr absl::Duration kLongest = absl::Seconds(20);
constexpr char kDateFormat[] = "%a, %d %b %Y %H:%M:%S GMT";

}  // namespace

absl::Duration BackoffBefore(int next, double fraction) {
  const absl::Duration bound = std::min(kLongest, kFirst * std::exp2(next - 2));
  return bound * std::clamp(fraction, 0.0, 1.0);
}

std::optional<absl::Duration> ParseRetryAfter(std::string_view value, absl::Time now) {
  const bool is_number =
      !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) { return absl::ascii_isdigit(c); });
  if (is_number) {
    int64_t seconds = 0;
    // More digits than a number has are as good as for ever.
    return absl::SimpleAtoi(ToAbsl(value), &seconds) ? absl::Seconds(seconds) : absl::InfiniteDuration();
  }
  absl::Time date;
  if (!absl::ParseTime(kDateFormat, std::string(value), absl::UTCTimeZone(), &date, nullptr)) return std::nullopt;
  return std::max(absl::ZeroDuration(), date - now);
}

}  // namespace toolgate::http
