// When a call must stop.
#ifndef TOOLGATE_COMMON_CANCELLATION_H_
#define TOOLGATE_COMMON_CANCELLATION_H_

#include <atomic>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace toolgate {

// Knows more of a call's client than was told, and can be asked at any time. Thread-safe.
class CancellationSource {
 public:
  virtual bool Cancelled() const = 0;

 protected:
  ~CancellationSource() = default;
};

// A call's deadline and whether its client has left. The RPC thread cancels; the thread that runs the tool asks.
// Thread-safe, but for TightenDeadline, which only the thread that runs the call may use.
class Cancellation {
 public:
  Cancellation() = default;
  // `deadline` is a reading of Clock::Monotonic.
  Cancellation(const Clock& clock, absl::Duration deadline) : clock_(&clock), deadline_(deadline) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (source_ != nullptr && source_->Cancelled());
  }
  // Asks `source`, which outlives this, too. Before the call begins.
  void Watch(const CancellationSource& source) { source_ = &source; }

  void Reset(const Clock& clock, absl::Duration deadline) {
    clock_ = &clock;
    deadline_ = deadline;
  }
  // Moves the deadline closer, never further away.
  void TightenDeadline(absl::Duration deadline) {
    if (deadline < deadline_) deadline_ = deadline;
  }
  absl::Duration deadline() const { return deadline_; }
  absl::Duration Remaining() const {
    return clock_ == nullptr ? absl::InfiniteDuration() : deadline_ - clock_->Monotonic();
  }

  // OK while the call may go on; CANCELLED when the client left, TIMEOUT when the deadline passed (both as ToolError).
  absl::Status Check() const;

 private:
  const Clock* clock_ = nullptr;
  const CancellationSource* source_ = nullptr;
  absl::Duration deadline_ = absl::InfiniteDuration();
  std::atomic<bool> cancelled_{false};
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_CANCELLATION_H_
