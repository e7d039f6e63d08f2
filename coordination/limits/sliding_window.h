// An exact sliding window: the log of the times at which calls were charged.
#ifndef TOOLGATE_COORDINATION_LIMITS_SLIDING_WINDOW_H_
#define TOOLGATE_COORDINATION_LIMITS_SLIDING_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace toolgate::coordination::limits {

// At most `max_calls` (1 or more) in any span of `length`. A call charged at t leaves the window at t + length.
struct Window {
  int64_t max_calls = 0;
  absl::Duration length;
  bool fail_open = false;  // Lets calls pass while it is unknown whether there is room.
};

// One log, shared by any number of windows. Not thread-safe. Holds 8 bytes for each call charged within the longest
// window it was charged for, hence at most that window's `max_calls` entries as long as every charge was admitted.
class SlidingWindow {
 public:
  // Time until `window` has room for one more call if nothing else is charged meanwhile; zero if it has room at `now`.
  absl::Duration Wait(absl::Time now, const Window& window) const;

  // Charges one call at `now`, which must not be before newest(), and forgets entries older than `keep`.
  void Charge(absl::Time now, absl::Duration keep);

  // Takes back one charge made at `charged_at`. False if there is none any more.
  bool GiveBack(absl::Time charged_at);

  // Calls charged in the span of `length` that ends at `now`.
  int64_t Used(absl::Time now, absl::Duration length) const;

  // Time at which the oldest call counted by Used leaves the window; InfinitePast if it counts none.
  absl::Time ResetsAt(absl::Time now, absl::Duration length) const;

  // InfinitePast if empty.
  absl::Time newest() const;

 private:
  size_t size() const { return times_.size() - begin_; }
  size_t FirstAfter(int64_t nanos) const;

  std::vector<int64_t> times_;  // Unix nanoseconds, ascending, from begin_ on; earlier entries are forgotten.
  size_t begin_ = 0;
};

}  // namespace toolgate::coordination::limits

#endif  // TOOLGATE_COORDINATION_LIMITS_SLIDING_WINDOW_H_
