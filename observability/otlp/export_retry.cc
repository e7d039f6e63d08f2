#include "observability/otlp/export_retry.h"

#include <algorithm>

#include "absl/random/distributions.h"

namespace toolgate::observability::otlp {
namespace {

constexpr absl::Duration kLongestWait = absl::Seconds(5);
constexpr double kGrowth = 1.5;
constexpr double kJitter = 0.2;

}  // namespace

std::optional<absl::Duration> ExportRetry::WaitAfter(const Attempt& failure) {
  if (!failure.retryable) return std::nullopt;
  const absl::Duration wait = next_ * absl::Uniform(absl::IntervalClosed, random_, 1 - kJitter, 1 + kJitter);
  next_ = std::min(next_ * kGrowth, kLongestWait);
  // A delay of zero means "now, if you like": the back-off holds then.
  return failure.delay.has_value() && *failure.delay > absl::ZeroDuration() ? *failure.delay : wait;
}

}  // namespace toolgate::observability::otlp
