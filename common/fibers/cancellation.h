// Cancellation of calls.
#ifndef TOOLGATE_COMMON_FIBERS_CANCELLATION_H_
#define TOOLGATE_COMMON_FIBERS_CANCELLATION_H_

#include <atomic>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace toolgate::fibers {

// Knows more of a call's client than was told, and can be asked at any time. Thread-safe.
class CancellationSource {
 public:
  virtual bool Cancelled() const = 0;

 protected:
  ~CancellationSource() = default;
};

// A wait that can be ended early. Thread-safe.
class Wakeable {
 public:
  // Ends the present wait, or the next one when nobody waits now.
  virtual void Wake() = 0;

 protected:
  ~Wakeable() = default;
};

// A call's deadline and whether its client has left. The RPC thread cancels; the thread that runs the tool asks.
// Thread-safe, but for the two functions that tighten the deadline, which only the thread that runs the call may use.
//
// The deadline is the shorter of two bounds, and remembers which: the caller's own (the RPC's deadline, the execution
// time that is left to the request, the deadline of the call that this one is a step of) and the service's (the tool's
// time-out). The caller answers for a call that was stopped by the former.
class Cancellation final : public CancellationSource {
 public:
  Cancellation() = default;
  // `deadline`, the caller's, is a reading of Clock::Monotonic.
  Cancellation(const Clock& clock, absl::Duration deadline) : clock_(&clock), deadline_(deadline) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Also ends the wait of the call, if it waits (WakeOnCancel).
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (source_ != nullptr && source_->Cancelled());
  }
  bool Cancelled() const override { return cancelled(); }
  // Asks `source`, which outlives this, too. Before the call begins.
  void Watch(const CancellationSource& source) { source_ = &source; }

  // Has Cancel wake `waiter`. Null: nobody any more; when that returns, no Cancel touches the earlier one. One waiter
  // at a time: the call's own thread. A source cancels without waking anybody.
  void WakeOnCancel(Wakeable* waiter) const ABSL_LOCKS_EXCLUDED(mutex_);

  void Reset(const Clock& clock, absl::Duration deadline) {
    clock_ = &clock;
    deadline_ = deadline;
    is_callers_ = true;
  }
  // Both move the deadline closer, never further away. Of two equal bounds the service's holds.
  void TightenByService(absl::Duration deadline) {
    if (deadline > deadline_) return;
    deadline_ = deadline;
    is_callers_ = false;
  }
  void TightenByCaller(absl::Duration deadline) {
    if (deadline >= deadline_) return;
    deadline_ = deadline;
    is_callers_ = true;
  }
  absl::Duration deadline() const { return deadline_; }
  // Whether the deadline in force is the caller's own. False when there is none.
  bool DeadlineIsCallers() const { return is_callers_ && deadline_ < absl::InfiniteDuration(); }
  // Whether the call has to stop because its client left or the caller's own deadline passed.
  bool EndedByCaller() const { return cancelled() || (DeadlineIsCallers() && Remaining() <= absl::ZeroDuration()); }
  absl::Duration Remaining() const {
    return clock_ == nullptr ? absl::InfiniteDuration() : deadline_ - clock_->Monotonic();
  }

  // OK while the call may go on; CANCELLED when the client left, TIMEOUT when the deadline passed (both as ToolError).
  absl::Status Check() const;

 private:
  const Clock* clock_ = nullptr;
  const CancellationSource* source_ = nullptr;
  absl::Duration deadline_ = absl::InfiniteDuration();
  bool is_callers_ = true;
  std::atomic<bool> cancelled_{false};
  mutable absl::Mutex mutex_;
  mutable Wakeable* waiter_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_CANCELLATION_H_
