// How often something happened lately.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_ROLLING_COUNTER_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_ROLLING_COUNTER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace toolgate::security::rate_limit {

// Counts events over a span that moves in tenths of its length: Count answers those of between nine tenths and the
// whole of the span. Thread-safe and lock-free. `now` is a reading of Clock::Monotonic.
class RollingCounter {
 public:
  explicit RollingCounter(absl::Duration span);

  void Add(absl::Duration now);
  int64_t Count(absl::Duration now) const;
  // An Add that runs at the same time may survive.
  void Clear();

 private:
  static constexpr size_t kBuckets = 10;

  uint32_t EpochOf(absl::Duration now) const;

  const int64_t bucket_nanos_;
  // Each holds the number of a tenth since the clock's start in its upper half, and the count of that tenth in its
  // lower half, so that the first event of a new tenth takes the place of an old one in a single exchange.
  std::array<std::atomic<uint64_t>, kBuckets> buckets_{};
};

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_ROLLING_COUNTER_H_
