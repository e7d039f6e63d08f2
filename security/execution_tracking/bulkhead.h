// Limits the number of calls that run at the same time.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fairness/fair_line.h"
#include "common/fairness/fair_shares.h"
#include "common/fairness/shared_count.h"
#include "common/fibers/cancellation.h"
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
// first out. A fiber that waits steps aside, so that neither its thread nor its place among the tasks that run is kept
// from other calls. Thread-safe.
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
      if (bulkhead_ != nullptr) bulkhead_->line_.Release(*account_, /*for_good=*/false);
    }
    // Takes a slot again, at once: one beyond the bound when none is free.
    void StepBack() {
      if (bulkhead_ != nullptr) bulkhead_->line_.Retake(*account_);
    }

   private:
    friend class Bulkhead;
    Slot(Bulkhead& bulkhead, fairness::FairLine::Account& account) : bulkhead_(&bulkhead), account_(&account) {}
    void End() {
      if (bulkhead_ != nullptr) std::exchange(bulkhead_, nullptr)->line_.Release(*account_);
    }

    Bulkhead* bulkhead_ = nullptr;
    fairness::FairLine::Account* account_ = nullptr;
  };

  // `places` is at least 1. `queued` bounds the calls that wait, here and wherever else it is used. Both borrowed
  // objects must outlive the bulkhead.
  Bulkhead(int64_t places, const fairness::Shares& shares, fairness::SharedCount& queued, fibers::WaitTimer& timer)
      : places_(places), queued_(queued), timer_(timer), line_(places, shares) {}
  Bulkhead(const Bulkhead&) = delete;
  Bulkhead& operator=(const Bulkhead&) = delete;

  // Waits when the party may have no slot now, as long as `patience` has it; the caller holds no lock. OVERLOADED at
  // once, with retry_after, when too many calls wait already, of all or of this party; otherwise what the patience
  // ended with.
  absl::StatusOr<Slot> Acquire(const fairness::Party& party, QueuePatience& patience);
  // A slot that the party may have now, or nothing.
  std::optional<Slot> TryAcquire(const fairness::Party& party);

  // Whether any party, whatever it holds, would get a slot at the moment.
  bool HasRoomForAnyone() const { return line_.HasRoomForAnyone(); }

  int64_t places() const { return places_; }
  // More than `places` while calls that stepped back hold slots beyond the bound.
  int64_t in_flight() const { return line_.taken(); }
  int64_t waiting() const { return line_.waiting(); }

 private:
  const int64_t places_;
  fairness::SharedCount& queued_;
  fibers::WaitTimer& timer_;
  fairness::FairLine line_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_BULKHEAD_H_
