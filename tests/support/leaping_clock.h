// A clock that runs, and can be put forward.
#ifndef TOOLGATE_TESTS_SUPPORT_LEAPING_CLOCK_H_
#define TOOLGATE_TESTS_SUPPORT_LEAPING_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "common/clock.h"

namespace toolgate::testing {

// For a whole service, whose parts wait for time to pass. Thread-safe.
class LeapingClock final : public Clock {
 public:
  absl::Time Now() const override { return Real().Now() + ahead(); }
  absl::Duration Monotonic() const override { return Real().Monotonic() + ahead(); }

  void Leap(absl::Duration by) { ahead_ns_ += absl::ToInt64Nanoseconds(by); }

 private:
  absl::Duration ahead() const { return absl::Nanoseconds(ahead_ns_.load()); }

  std::atomic<int64_t> ahead_ns_{0};
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_LEAPING_CLOCK_H_
