// Waits as a call does, in real time, for tests of what waits.
#ifndef TOOLGATE_TESTS_SUPPORT_REAL_WAIT_H_
#define TOOLGATE_TESTS_SUPPORT_REAL_WAIT_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"

namespace toolgate::testing {

// A fibers::Wait of a call that ends when it is cancelled, and never otherwise. Thread-safe.
class RealWait {
 public:
  absl::StatusOr<bool> operator()(fibers::Event& event, absl::Duration timeout) const {
    return timer_.Wait(event, cancellation_, Clock::Real().Monotonic() + timeout);
  }
  void Cancel() { cancellation_.Cancel(); }

 private:
  fibers::Cancellation cancellation_;
  mutable fibers::WaitTimer timer_{Clock::Real()};
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_REAL_WAIT_H_
