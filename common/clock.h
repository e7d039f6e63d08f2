// Time, injected so that tests can set it.
#ifndef TOOLGATE_COMMON_CLOCK_H_
#define TOOLGATE_COMMON_CLOCK_H_

#include <cstdint>

#include "absl/time/time.h"

namespace toolgate {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Wall time: for what is stored and shown, and for limits that several replicas share.
  virtual absl::Time Now() const = 0;

  // Time since an arbitrary start that never jumps: for durations and time-outs.
  virtual absl::Duration Monotonic() const = 0;

  // The same in nanoseconds, for what reads it many times a call.
  virtual int64_t MonotonicNanos() const { return absl::ToInt64Nanoseconds(Monotonic()); }

  // The process's real clock.
  static const Clock& Real();
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_CLOCK_H_
