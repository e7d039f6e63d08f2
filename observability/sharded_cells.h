// The memory under the hot counters and histograms.
#ifndef TOOLGATE_OBSERVABILITY_SHARDED_CELLS_H_
#define TOOLGATE_OBSERVABILITY_SHARDED_CELLS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace toolgate::observability {

// Which shard the calling thread adds to. Each of up to kShards - 1 threads has one of its own while it lives, so that
// adding needs no locked instruction; further threads share the last one.
class ThreadShard {
 public:
  static constexpr size_t kShards = 64;
  static constexpr size_t kShared = kShards - 1;

  static size_t Current() { return current_ == kNone ? Claim() : current_; }

 private:
  static constexpr size_t kNone = ~size_t{0};
  struct Owner;

  static size_t Claim();

  inline static constinit thread_local size_t current_ = kNone;
  inline static constinit std::atomic<uint64_t> claimed_{0};  // A bit a shard.
};

// `count` 64-bit sums, each kept once a shard; a reader adds the shards up. Thread-safe and free of locks. Sums read
// while others add are a moment old, and two cells need not be of the same moment. Memory is taken page by page, as
// shards come into use.
class ShardedCells {
 public:
  explicit ShardedCells(size_t count);

  void Add(size_t cell, int64_t by) {
    const size_t shard = ThreadShard::Current();
    const std::atomic_ref<int64_t> sum(cells_[shard * stride_ + cell]);
    if (shard == ThreadShard::kShared) {
      sum.fetch_add(by, std::memory_order_relaxed);
    } else {
      sum.store(sum.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
  }

  int64_t Sum(size_t cell) const;
  size_t count() const { return count_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  const size_t count_;
  const size_t stride_;  // Cells from shard to shard, in whole cache lines.
  const std::unique_ptr<void, Free> memory_;
  int64_t* const cells_;  // In memory_, at the start of a cache line.
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_SHARDED_CELLS_H_
