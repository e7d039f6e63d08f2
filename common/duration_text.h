// Durations as people write them.
#ifndef TOOLGATE_COMMON_DURATION_TEXT_H_
#define TOOLGATE_COMMON_DURATION_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace toolgate {

// Reads "90s", "1h30m", "250ms", "1.5h", "7d", "-5s": numbers with the units d (24 h), h, m, s, ms, us and ns, larger
// units first. Nothing when it is written otherwise, or is beyond 315,576,000,000 s (ten thousand years, the most that
// google.protobuf.Duration holds).
std::optional<absl::Duration> ParseDurationText(std::string_view text);

// The same duration as ParseDurationText reads it, exact to the nanosecond: "1h30m", "0s". Infinite durations are not
// meant.
std::string DurationText(absl::Duration duration);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_DURATION_TEXT_H_
