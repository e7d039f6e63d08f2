// Pauses between attempts.
#ifndef TOOLGATE_COMMON_HTTP_RETRY_DELAY_H_
#define TOOLGATE_COMMON_HTTP_RETRY_DELAY_H_

#include <optional>
#include <string_view>

#include "absl/time/time.h"

namespace toolgate::http {

// The longest Retry-After that is waited for.
inline constexpr absl::Duration kMaxRetryAfter = absl::Minutes(1);

// The pause before attempt number `next` (from 2), by exponential backoff with full jitter: a `fraction` (from 0 to 1,
// random) of half a second, which doubles with each attempt up to 20 seconds.
absl::Duration BackoffBefore(int next, double fraction);

// The value of a Retry-After header, seconds or a date (RFC 9110), as a time from `now`, never negative. Nothing for
// any other text.
std::optional<absl::Duration> ParseRetryAfter(std::string_view value, absl::Time now);

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_RETRY_DELAY_H_
