#include "observability/sharded_cells.h"

#include <bit>
#include <new>

namespace toolgate::observability {
namespace {

constexpr size_t kLineBytes = 64;
constexpr size_t kCellsPerLine = kLineBytes / sizeof(int64_t);

// calloc hands out large blocks untouched, so that shards of threads that never come cost no memory.
void* Allocate(size_t cells) {
  void* const memory = std::calloc(cells * sizeof(int64_t) + kLineBytes, 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

int64_t* AlignToLine(void* memory) {
  const size_t beyond = reinterpret_cast<uintptr_t>(memory) % kLineBytes;
  return reinterpret_cast<int64_t*>(static_cast<char*>(memory) + (kLineBytes - beyond) % kLineBytes);
}

}  // namespace

// Gives the shard back when its thread ends. The next owner goes on from the sums of the last one.
struct ThreadShard::Owner {
  ~Owner() {
    if (current_ == kShared) return;
    claimed_.fetch_and(~(uint64_t{1} << current_), std::memory_order_release);
    current_ = kShared;  // For what still counts while the thread ends.
  }
};

size_t ThreadShard::Claim() {
  uint64_t claimed = claimed_.load(std::memory_order_relaxed);
  size_t free;
  do {
    free = static_cast<size_t>(std::countr_one(claimed));
    if (free >= kShared) return current_ = kShared;
  } while (!claimed_.compare_exchange_weak(claimed, claimed | uint64_t{1} << free, std::memory_order_acquire,
                                           std::memory_order_relaxed));
  current_ = free;
  thread_local const Owner owner;
  static_cast<void>(&owner);  // Its use makes it, and thereby registers its end.
  return free;
}

ShardedCells::ShardedCells(size_t count)
    : count_(count),
      stride_((count + kCellsPerLine - 1) / kCellsPerLine * kCellsPerLine),
      memory_(Allocate(ThreadShard::kShards * stride_)),
      cells_(AlignToLine(memory_.get())) {}

int64_t ShardedCells::Sum(size_t cell) const {
  int64_t sum = 0;
  for (size_t shard = 0; shard < ThreadShard::kShards; ++shard) {
    sum += std::atomic_ref<int64_t>(cells_[shard * stride_ + cell]).load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace toolgate::observability
