// Memory of frequently updated counters and histograms.
#ifndef TOOLGATE_OBSERVABILITY_SHARDED_CELLS_H_
#define TOOLGATE_OBSERVABILITY_SHARDED_CELLS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace toolgate::observability {

// Selects the shard of the calling thread. Up to kShards - 1 threads have their own shard while they live, so that
// adding needs no locked instruction; further threads share the last shard.
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
  inline static constinit std::atomic<uint64_t> claimed_{0};  // One bit for each shard.
};

// `count` 64-bit sums with one copy in each shard; a reader adds up the shards. Thread-safe without locks. Sums that
// are read while others add may be slightly old, and two cells may be from different moments. Memory is allocated page
// by page, as shards are first used.
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
