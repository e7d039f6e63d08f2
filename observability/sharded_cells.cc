#include "observability/sharded_cells.h"

#include <bit>
#include <new>

namespace toolgate::observability {
namespace {

constexpr size_t kLineBytes = 64;
constexpr size_t kCellsPerLine = kLineBytes / sizeof(int64_t);

// calloc does not touch large blocks, so unused shards cost no memory.
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

// Releases the shard when its thread ends. The next owner continues with its sums.
struct ThreadShard::Owner {
  ~Owner() {
    if (current_ == kShared) return;
    claimed_.fetch_and(~(uint64_t{1} << current_), std::memory_order_release);
    current_ = kShared;  // For counts while the thread ends.
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
  static_cast<void>(&owner);  // The use constructs it, and so registers its destructor.
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
