// Counts recent events.
#ifndef TOOLGATE_COORDINATION_BREAKERS_ROLLING_COUNTER_H_
#define TOOLGATE_COORDINATION_BREAKERS_ROLLING_COUNTER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace toolgate::coordination::breakers {

// Counts events over a span that moves in steps of a tenth of its length: Count returns the events of the last nine
// tenths to ten tenths of the span. Thread-safe and lock-free. `now` is a reading of Clock::Monotonic.
class RollingCounter {
 public:
  explicit RollingCounter(absl::Duration span);

  void Add(absl::Duration now);
  int64_t Count(absl::Duration now) const;
  // A concurrent Add may survive.
  void Clear();

 private:
  static constexpr size_t kBuckets = 10;

  uint32_t EpochOf(absl::Duration now) const;

  const int64_t bucket_nanos_;
  // The upper half of each holds the number of a tenth since the clock's start, the lower half the count of that tenth,
  // so that the first event of a new tenth replaces an old one in a single exchange.
  std::array<std::atomic<uint64_t>, kBuckets> buckets_{};
};

}  // namespace toolgate::coordination::breakers

#endif  // TOOLGATE_COORDINATION_BREAKERS_ROLLING_COUNTER_H_
