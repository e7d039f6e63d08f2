// Bounds the waits of calls.
#ifndef TOOLGATE_COMMON_FIBERS_WAIT_TIMER_H_
#define TOOLGATE_COMMON_FIBERS_WAIT_TIMER_H_

#include <cstdint>
#include <set>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"

namespace toolgate::fibers {

// The one way in which calls wait: for an event, until a deadline, and no longer than the call itself may go on. A
// fiber that waits holds no thread and no place among the tasks that run (Event::WaitAside). One thread, started with
// the first wait, looks at the deadlines of all, and for cancellations by a source, which wake nobody. Thread-safe.
class WaitTimer {
 public:
  // `clock` must outlive the timer.
  explicit WaitTimer(const Clock& clock) : clock_(clock) {}
  // Called when nobody waits any more.
  ~WaitTimer();
  WaitTimer(const WaitTimer&) = delete;
  WaitTimer& operator=(const WaitTimer&) = delete;

  // True when `event` is set; false when `until`, a reading of Clock::Monotonic, passed first. CANCELLED or TIMEOUT, as
  // Cancellation::Check has them, when the call must stop first. The caller holds no lock.
  absl::StatusOr<bool> Wait(Event& event, const Cancellation& cancellation,
                            absl::Duration until = absl::InfiniteDuration());

  // Calls that wait now.
  int64_t waiting() const;

  // Delay with which a wait may end: well within the 100 ms to which deadlines hold. A cancellation by a source is
  // noticed as soon, unless more than 256 calls wait, which are then asked in turn.
  static constexpr absl::Duration kPollInterval = absl::Milliseconds(20);

 private:
  // On the stack of the call that waits.
  struct Entry {
    Event& event;
    const Cancellation& cancellation;
  };
  class Registration;
  using Key = std::pair<absl::Duration, Entry*>;

  void Watch();
  void WakeDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<Key> by_deadline_ ABSL_GUARDED_BY(mutex_);  // All who wait.
  Key next_asked_ ABSL_GUARDED_BY(mutex_);             // Start of the next round of questions.
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_WAIT_TIMER_H_
