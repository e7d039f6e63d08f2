// Limits the number of calls that run at the same time.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fairness/fair_shares.h"
#include "common/fairness/shared_count.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"

namespace toolgate::security::execution_tracking {

// Bounds the total time that one call waits for slots. Used by the thread of the call.
class QueuePatience {
 public:
  // Both must outlive this object. The time counts from the first Begin.
  QueuePatience(const Clock& clock, const fibers::Cancellation& cancellation, absl::Duration max_queue_time)
      : clock_(clock), cancellation_(cancellation), max_queue_time_(max_queue_time) {}

  // Called when the call gets in line, perhaps not for the first time.
  void Begin();
  // After Begin. OK while waiting is worthwhile; otherwise CANCELLED, TIMEOUT (the call's own deadline) or OVERLOADED,
  // which tells that `bound` kept the call waiting.
  absl::Status Check(fairness::Bound bound = fairness::Bound::kTotal) const;
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

// A counting semaphore whose slots callers share (common/fairness/fair_shares.h): a user and a workspace may hold their
// shares of what the others leave, and those who wait are served in turn, by workspace, by user and then first in,
// first out. A new call never overtakes one that waits and could run. A fiber that waits steps aside, so that neither
// its thread nor its place among the tasks that run is kept from other calls. Thread-safe.
class Bulkhead final {
 public:
  // One slot, returned on destruction.
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& other) noexcept : bulkhead_(std::exchange(other.bulkhead_, nullptr)), account_(other.account_) {}
    Slot& operator=(Slot&& other) noexcept {
      if (this != &other) {
        End();
        bulkhead_ = std::exchange(other.bulkhead_, nullptr);
        account_ = other.account_;
      }
      return *this;
    }
    ~Slot() { End(); }

    // Leaves the slot to others until StepBack, which must follow before this ends.
    void StepAside() {
      if (bulkhead_ != nullptr) bulkhead_->Release(*account_, /*for_good=*/false);
    }
    // Takes a slot again, at once: one beyond the bound when none is free.
    void StepBack() {
      if (bulkhead_ != nullptr) bulkhead_->Retake(*account_);
    }

   private:
    friend class Bulkhead;
    Slot(Bulkhead& bulkhead, fairness::FairShares::Account& account) : bulkhead_(&bulkhead), account_(&account) {}
    void End() {
      if (bulkhead_ != nullptr) std::exchange(bulkhead_, nullptr)->Release(*account_, /*for_good=*/true);
    }

    Bulkhead* bulkhead_ = nullptr;
    fairness::FairShares::Account* account_ = nullptr;
  };

  // `places` is at least 1. `queued` bounds the calls that wait, here and wherever else it is used. Both borrowed
  // objects must outlive the bulkhead.
  Bulkhead(int64_t places, const fairness::Shares& shares, fairness::SharedCount& queued, fibers::WaitTimer& timer)
      : places_(places), queued_(queued), timer_(timer), shares_(places, shares) {}
  Bulkhead(const Bulkhead&) = delete;
  Bulkhead& operator=(const Bulkhead&) = delete;

  // Waits when the party may have no slot now, as long as `patience` has it; the caller holds no lock. OVERLOADED at
  // once, with retry_after, when too many calls wait already, of all or of this party; otherwise what the patience
  // ended with.
  absl::StatusOr<Slot> Acquire(const fairness::Party& party, QueuePatience& patience);
  // A slot that the party may have now, or nothing.
  std::optional<Slot> TryAcquire(const fairness::Party& party) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether any party, whatever it holds, would get a slot at the moment.
  bool HasRoomForAnyone() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return shares_.HasRoomForAnyone();
  }

  int64_t places() const { return places_; }
  // More than `places` while calls that stepped back hold slots beyond the bound.
  int64_t in_flight() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return shares_.taken();
  }
  int64_t waiting() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return shares_.waiting();
  }

 private:
  // In line; on the stack of the call that waits.
  struct Waiter : fairness::FairShares::Waiter {
    fibers::Event slot_came;
  };

  // Takes a slot for `waiter`, or puts it in line. True: taken.
  bool TakeOrJoin(const fairness::Party& party, Waiter& waiter) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes `waiter` out of the line and answers the bound that kept it there; nothing when a slot is on its way to it.
  std::optional<fairness::Bound> LeaveLine(Waiter& waiter) ABSL_LOCKS_EXCLUDED(mutex_);
  void Release(fairness::FairShares::Account& account, bool for_good) ABSL_LOCKS_EXCLUDED(mutex_);
  void Retake(fairness::FairShares::Account& account) ABSL_LOCKS_EXCLUDED(mutex_);

  const int64_t places_;
  fairness::SharedCount& queued_;
  fibers::WaitTimer& timer_;
  mutable absl::Mutex mutex_;
  // While this is not locked, nobody waits who could have a slot.
  fairness::FairShares shares_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_
