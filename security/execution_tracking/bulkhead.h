// Limits the number of calls that run at the same time.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"
#include "security/execution_tracking/bounded_count.h"

namespace toolgate::security::execution_tracking {

// Bounds the total time that one call waits for places. Used by the thread of the call.
class QueuePatience {
 public:
  // Both must outlive this object. The time counts from the first Begin.
  QueuePatience(const Clock& clock, const fibers::Cancellation& cancellation, absl::Duration max_queue_time)
      : clock_(clock), cancellation_(cancellation), max_queue_time_(max_queue_time) {}

  // Called when the call gets in line, perhaps not for the first time.
  void Begin();
  // After Begin. OK while waiting is worthwhile; otherwise CANCELLED, TIMEOUT (the call's own deadline) or OVERLOADED.
  absl::Status Check() const;
  // After Begin: the end of the queue time, a reading of Clock::Monotonic.
  absl::Duration give_up_at() const { return *give_up_at_; }
  const fibers::Cancellation& cancellation() const { return cancellation_; }
  absl::Duration max_queue_time() const { return max_queue_time_; }

 private:
  const Clock& clock_;
  const fibers::Cancellation& cancellation_;
  const absl::Duration max_queue_time_;
  std::optional<absl::Duration> give_up_at_;
};

// A counting semaphore with a first-in-first-out queue: a place that comes free goes to the call that has waited
// longest, and a new call never overtakes one that waits. A fiber that waits steps aside, so that neither its thread
// nor its place among the tasks that run is kept from other calls. Thread-safe. Without contention a place costs one
// atomic exchange to take and one atomic addition to give back.
class Bulkhead final {
 public:
  // One place, returned on destruction.
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& other) noexcept : bulkhead_(std::exchange(other.bulkhead_, nullptr)) {}
    Slot& operator=(Slot&& other) noexcept {
      if (this != &other) {
        Release();
        bulkhead_ = std::exchange(other.bulkhead_, nullptr);
      }
      return *this;
    }
    ~Slot() { Release(); }

    // Leaves the place to others until StepBack, which must follow before the slot ends.
    void StepAside() {
      if (bulkhead_ != nullptr) bulkhead_->Release();
    }
    // Takes a place again, at once: one beyond the bound when none is free.
    void StepBack() {
      if (bulkhead_ != nullptr) bulkhead_->Retake();
    }

   private:
    friend class Bulkhead;
    explicit Slot(Bulkhead& bulkhead) : bulkhead_(&bulkhead) {}
    void Release() {
      if (bulkhead_ != nullptr) std::exchange(bulkhead_, nullptr)->Release();
    }

    Bulkhead* bulkhead_ = nullptr;
  };

  // `places` is at least 1. `queued` bounds the calls that wait, here and wherever else it is used. Both borrowed
  // objects must outlive the bulkhead.
  Bulkhead(int64_t places, BoundedCount& queued, fibers::WaitTimer& timer)
      : places_(places), queued_(queued), timer_(timer), free_(places) {}
  Bulkhead(const Bulkhead&) = delete;
  Bulkhead& operator=(const Bulkhead&) = delete;

  // Waits when all places are taken, as long as `patience` has it; the caller holds no lock. OVERLOADED at once, with
  // retry_after, when too many calls wait already; otherwise what the patience ended with.
  absl::StatusOr<Slot> Acquire(QueuePatience& patience) {
    if (std::optional<Slot> slot = TryAcquire()) return *std::move(slot);
    return AcquireSlowly(patience);
  }
  // A free place, or nothing.
  std::optional<Slot> TryAcquire() {
    int64_t free = free_.load(std::memory_order_relaxed);
    while (free > 0) {
      if (free_.compare_exchange_weak(free, free - 1, std::memory_order_acquire)) return Slot(*this);
    }
    return std::nullopt;
  }

  // Whether there is a free place at the moment.
  bool HasPlace() const { return free_.load(std::memory_order_relaxed) > 0; }

  int64_t places() const { return places_; }
  // More than `places` while calls that stepped back hold places beyond the bound.
  int64_t in_flight() const {
    return places_ - std::max<int64_t>(free_.load(std::memory_order_relaxed), 0) +
           beyond_.load(std::memory_order_relaxed);
  }
  int64_t waiting() const { return std::max<int64_t>(-free_.load(std::memory_order_relaxed), 0); }

 private:
  absl::StatusOr<Slot> AcquireSlowly(QueuePatience& patience);
  absl::Status WaitInLine(QueuePatience& patience);
  // False when a place is on its way to the one who waits for `place_came`.
  bool LeaveLine(fibers::Event& place_came);
  void Release() {
    int64_t beyond = beyond_.load(std::memory_order_relaxed);
    while (beyond > 0) {
      if (beyond_.compare_exchange_weak(beyond, beyond - 1, std::memory_order_relaxed)) return;
    }
    if (free_.fetch_add(1, std::memory_order_release) < 0) HandOver();
  }
  void Retake();
  void HandOver();

  const int64_t places_;
  BoundedCount& queued_;
  fibers::WaitTimer& timer_;
  // Free places, or, below zero, the calls in line that no place is on its way to. Below zero it is lowered only under
  // the mutex, by a call that gets in line.
  std::atomic<int64_t> free_;
  // Places taken beyond the bound by calls that stepped back; paid off before a place comes free.
  std::atomic<int64_t> beyond_{0};
  absl::Mutex mutex_;
  std::list<fibers::Event*> line_ ABSL_GUARDED_BY(mutex_);  // Each on the stack of the call that waits.
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_
