#include "security/execution_tracking/bulkhead.h"

#include <algorithm>
#include <string>

#include "common/tool_error.h"

namespace toolgate::security::execution_tracking {
namespace {

// How often a waiting call looks whether its client has left: well below the 100 ms to which deadlines hold.
constexpr absl::Duration kPollInterval = absl::Milliseconds(20);
// Time may have passed since the patience was last asked, and a wait for less than nothing does not end.
constexpr absl::Duration kShortestPause = absl::Milliseconds(1);

// By then everything that waits now has run or given up.
absl::Status Overloaded(std::string message, absl::Duration max_queue_time) {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = std::move(message);
  error.retryable = true;
  error.retry_after = max_queue_time;
  return ToStatus(error);
}

}  // namespace

void QueuePatience::Begin() {
  if (!give_up_at_.has_value()) give_up_at_ = clock_.Monotonic() + max_queue_time_;
}

absl::Status QueuePatience::Check() const {
  if (absl::Status status = cancellation_.Check(); !status.ok()) return status;
  if (clock_.Monotonic() < *give_up_at_) return absl::OkStatus();
  return Overloaded("the service is busy and the call found no place to run in time", max_queue_time_);
}

absl::Duration QueuePatience::Remaining() const {
  return std::min(*give_up_at_ - clock_.Monotonic(), cancellation_.Remaining());
}

absl::StatusOr<Bulkhead::Slot> Bulkhead::AcquireSlowly(QueuePatience& patience) {
  if (!room_.TryEnter()) {
    return Overloaded("the service is busy and too many calls are waiting already", patience.max_queue_time());
  }
  patience.Begin();
  absl::Status status = WaitInLine(patience);
  room_.Leave();
  if (!status.ok()) return status;
  return Slot(*this);
}

absl::Status Bulkhead::WaitInLine(QueuePatience& patience) {
  Waiter self;
  absl::MutexLock lock(&mutex_);
  if (free_.fetch_sub(1, std::memory_order_acquire) > 0) return absl::OkStatus();
  const auto place_in_line = line_.insert(line_.end(), &self);
  bool may_leave = true;
  while (!self.granted) {
    absl::Duration pause = kPollInterval;
    if (may_leave) {
      absl::Status status = patience.Check();
      if (!status.ok() && Unregister()) {
        line_.erase(place_in_line);
        return status;
      }
      may_leave = status.ok();
      if (may_leave) pause = std::clamp(patience.Remaining(), kShortestPause, kPollInterval);
    }
    self.changed.WaitWithTimeout(&mutex_, pause);
  }
  return absl::OkStatus();
}

bool Bulkhead::Unregister() {
  int64_t free = free_.load(std::memory_order_relaxed);
  while (free < 0) {
    if (free_.compare_exchange_weak(free, free + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void Bulkhead::HandOver() {
  absl::MutexLock lock(&mutex_);
  Waiter* first = line_.front();
  line_.pop_front();
  first->granted = true;
  first->changed.Signal();
}

}  // namespace toolgate::security::execution_tracking
