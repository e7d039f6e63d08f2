#include "coordination/breakers/rolling_counter.h"

#include <algorithm>

namespace toolgate::coordination::breakers {

RollingCounter::RollingCounter(absl::Duration span)
    : bucket_nanos_(std::max<int64_t>(absl::ToInt64Nanoseconds(span) / static_cast<int64_t>(kBuckets), 1)) {}

void RollingCounter::Add(absl::Duration now) {
  const uint32_t epoch = EpochOf(now);
  std::atomic<uint64_t>& bucket = buckets_[epoch % kBuckets];
  uint64_t seen = bucket.load(std::memory_order_relaxed);
  // A thread that read the clock before another one replaced the bucket counts for the newer tenth.
  while (static_cast<int32_t>(epoch - static_cast<uint32_t>(seen >> 32)) > 0) {
    const uint64_t first_of_epoch = (uint64_t{epoch} << 32) | 1;
    if (bucket.compare_exchange_weak(seen, first_of_epoch, std::memory_order_relaxed)) return;
  }
  bucket.fetch_add(1, std::memory_order_relaxed);
}

int64_t RollingCounter::Count(absl::Duration now) const {
  const uint32_t epoch = EpochOf(now);
  int64_t count = 0;
  for (const std::atomic<uint64_t>& bucket : buckets_) {
    const uint64_t seen = bucket.load(std::memory_order_relaxed);
    const auto age = static_cast<int32_t>(epoch - static_cast<uint32_t>(seen >> 32));
    if (age < static_cast<int32_t>(kBuckets)) count += static_cast<int64_t>(seen & 0xffffffff);
  }
  return count;
}

void RollingCounter::Clear() {
  for (std::atomic<uint64_t>& bucket : buckets_) {
    bucket.fetch_and(~uint64_t{0xffffffff}, std::memory_order_relaxed);
  }
}

uint32_t RollingCounter::EpochOf(absl::Duration now) const {
  return static_cast<uint32_t>(absl::ToInt64Nanoseconds(now) / bucket_nanos_);
}

}  // namespace toolgate::coordination::breakers
