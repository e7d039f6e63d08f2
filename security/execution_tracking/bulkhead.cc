#include "security/execution_tracking/bulkhead.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"

namespace toolgate::security::execution_tracking {
namespace {

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
  if (absl::Status status = patience.Check(); !status.ok()) return status;
  Waiter self{patience, {}, {}};
  {
    absl::MutexLock lock(&mutex_);
    if (free_.fetch_sub(1, std::memory_order_acquire) > 0) return absl::OkStatus();
    line_.push_back(&self);
  }
  self.baton.WaitAside();
  return self.status;
}

absl::Duration Bulkhead::SendAwayImpatient() {
  absl::Duration next = absl::InfiniteDuration();
  std::vector<Waiter*> sent_away;
  {
    absl::MutexLock lock(&mutex_);
    for (auto place = line_.begin(); place != line_.end();) {
      Waiter& waiter = **place;
      absl::Status status = waiter.patience.Check();
      if (status.ok()) {
        next = std::min(next, waiter.patience.Remaining());
        ++place;
        continue;
      }
      if (!Unregister()) break;  // Places are on their way to all who stand here.
      waiter.status = std::move(status);
      sent_away.push_back(&waiter);
      place = line_.erase(place);
    }
  }
  for (Waiter* const waiter : sent_away) waiter->baton.Post();
  return next;
}

bool Bulkhead::Unregister() {
  int64_t free = free_.load(std::memory_order_relaxed);
  while (free < 0) {
    if (free_.compare_exchange_weak(free, free + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void Bulkhead::HandOver() {
  Waiter* first = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    first = line_.front();
    line_.pop_front();
  }
  first->baton.Post();
}

}  // namespace toolgate::security::execution_tracking
