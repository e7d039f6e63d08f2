// Time that stands still until a test moves it.
#ifndef TOOLGATE_TESTS_SUPPORT_FAKE_CLOCK_H_
#define TOOLGATE_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "common/clock.h"

namespace toolgate::testing {

// Thread-safe.
class FakeClock final : public Clock {
 public:
  // 2026-03-02 09:00 UTC, a Monday.
  FakeClock() : FakeClock(absl::FromUnixSeconds(1772442000)) {}
  explicit FakeClock(absl::Time start) : start_(start) {}

  absl::Time Now() const override { return start_ + Monotonic(); }
  absl::Duration Monotonic() const override { return absl::Nanoseconds(elapsed_.load()); }
  void Advance(absl::Duration by) { elapsed_ += absl::ToInt64Nanoseconds(by); }

 private:
  const absl::Time start_;
  std::atomic<int64_t> elapsed_{0};
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FAKE_CLOCK_H_
