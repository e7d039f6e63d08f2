// Total busy time.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_BUSY_TIME_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_BUSY_TIME_H_

#include "absl/time/time.h"

namespace toolgate::security::execution_tracking {

// Time during which at least one call ran. Parallel calls count once, so that a limit can be held to the millisecond,
// and the steps of an automation do not count in addition to the automation itself. Not thread-safe. `now` is a reading
// of Clock::Monotonic.
class BusyTime {
 public:
  void Start(absl::Duration now) {
    if (running_++ == 0) since_ = now;
  }
  void Stop(absl::Duration now) {
    if (--running_ == 0) before_ += now - since_;
  }
  absl::Duration Used(absl::Duration now) const { return running_ == 0 ? before_ : before_ + (now - since_); }

 private:
  int running_ = 0;
  absl::Duration since_ = absl::ZeroDuration();
  absl::Duration before_ = absl::ZeroDuration();
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_BUSY_TIME_H_
