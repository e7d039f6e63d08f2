#include "common/http/retries.h"

#include "absl/random/random.h"
#include "common/http/retry_delay.h"

namespace toolgate::http {

Repeat RepeatAfter(int status) {
  switch (status) {
    case 429:
    case 503:
    case 529:  // Of some services: overloaded.
      return Repeat::kAlways;
    case 408:
    case 502:
    case 504:
      return Repeat::kIfRepeatable;
    default:
      return Repeat::kNever;
  }
}

Repeat RepeatAfter(const absl::Status& status, bool sent) {
  if (absl::IsUnavailable(status)) return sent ? Repeat::kIfRepeatable : Repeat::kAlways;
  // A repeat would take as long again as the call has already waited.
  if (absl::IsDeadlineExceeded(status)) return sent ? Repeat::kNever : Repeat::kAlways;
  return Repeat::kNever;
}

std::optional<absl::Duration> Retries::PauseBefore(int next, Repeat repeat, bool repeatable,
                                                   std::optional<absl::Duration> retry_after) {
  if (next > max_attempts_ || repeat == Repeat::kNever) return std::nullopt;
  if (repeat == Repeat::kIfRepeatable && !repeatable) return std::nullopt;
  const absl::Duration asked = retry_after.value_or(absl::ZeroDuration());
  if (asked > kMaxRetryAfter || !budget_.TakeRetry()) return std::nullopt;
  absl::InsecureBitGen random;
  const absl::Duration backoff = BackoffBefore(next, absl::Uniform(random, 0.0, 1.0));
  // All who were told the same time would otherwise come back at once.
  return retry_after.has_value() ? asked + backoff / 4 : backoff;
}

}  // namespace toolgate::http
