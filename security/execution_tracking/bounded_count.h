// A number of things that may be there at a time.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_BOUNDED_COUNT_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_BOUNDED_COUNT_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

namespace toolgate::security::execution_tracking {

// Counts up to a bound, and refuses beyond it. Thread-safe.
class BoundedCount {
 public:
  // One of those counted, until it ends. The count must outlive it.
  class Ticket {
   public:
    Ticket(Ticket&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(count_, other.count_);
      return *this;
    }
    ~Ticket() {
      if (count_ != nullptr) count_->taken_.fetch_sub(1, std::memory_order_relaxed);
    }

   private:
    friend class BoundedCount;
    explicit Ticket(BoundedCount& count) : count_(&count) {}
    BoundedCount* count_;
  };

  explicit BoundedCount(int64_t bound) : bound_(bound) {}
  BoundedCount(const BoundedCount&) = delete;
  BoundedCount& operator=(const BoundedCount&) = delete;

  // Nothing when the bound is reached.
  std::optional<Ticket> TryTake() {
    int64_t taken = taken_.load(std::memory_order_relaxed);
    while (taken < bound_) {
      if (taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed)) return Ticket(*this);
    }
    return std::nullopt;
  }

  int64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  int64_t bound() const { return bound_; }

 private:
  const int64_t bound_;
  std::atomic<int64_t> taken_{0};
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_BOUNDED_COUNT_H_
