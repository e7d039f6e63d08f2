// Something that a call waits for.
#ifndef TOOLGATE_COMMON_FIBERS_EVENT_H_
#define TOOLGATE_COMMON_FIBERS_EVENT_H_

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/baton.h"
#include "common/fibers/cancellation.h"

namespace toolgate::fibers {

// A flag that one fiber or thread can wait for, again and again. Wait for it through WaitTimer, which bounds the wait.
// May be destroyed as soon as the flag was seen to be set, even while Set has not returned. Thread-safe.
class Event final : public Wakeable {
 public:
  Event() = default;
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Sets the flag, which stays set until Reset, and ends the wait.
  void Set() ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsSet() const ABSL_LOCKS_EXCLUDED(mutex_);
  void Reset() ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the wait, or the next one, without setting the flag.
  void Wake() override ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns when the flag is set, or after a Wake. A fiber steps aside meanwhile. One waiter at a time, which holds no
  // lock.
  void WaitAside() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  bool set_ ABSL_GUARDED_BY(mutex_) = false;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  Baton* waiter_ ABSL_GUARDED_BY(mutex_) = nullptr;  // On the stack of the one who waits.
};

}  // namespace toolgate::fibers

#endif  // TOOLGATE_COMMON_FIBERS_EVENT_H_
