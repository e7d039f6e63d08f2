#include "security/execution_tracking/bulkhead.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/status_macros.h"
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

absl::StatusOr<Bulkhead::Slot> Bulkhead::AcquireSlowly(QueuePatience& patience) {
  const std::optional<BoundedCount::Ticket> ticket = queued_.TryTake();
  if (!ticket.has_value()) {
    return Overloaded("the service is busy and too many calls are waiting already", patience.max_queue_time());
  }
  patience.Begin();
  RETURN_IF_ERROR(WaitInLine(patience));
  return Slot(*this);
}

absl::Status Bulkhead::WaitInLine(QueuePatience& patience) {
  RETURN_IF_ERROR(patience.Check());
  fibers::Event place_came;
  {
    absl::MutexLock lock(&mutex_);
    if (free_.fetch_sub(1, std::memory_order_acquire) > 0) return absl::OkStatus();
    line_.push_back(&place_came);
  }
  const absl::StatusOr<bool> came = timer_.Wait(place_came, patience.cancellation(), patience.give_up_at());
  if (came.ok() && *came) return absl::OkStatus();
  if (LeaveLine(place_came)) return came.ok() ? patience.Check() : came.status();
  while (!place_came.IsSet()) place_came.WaitAside();
  return absl::OkStatus();
}

bool Bulkhead::LeaveLine(fibers::Event& place_came) {
  absl::MutexLock lock(&mutex_);
  const auto place = std::find(line_.begin(), line_.end(), &place_came);
  if (place == line_.end()) return false;
  int64_t free = free_.load(std::memory_order_relaxed);
  while (free < 0) {
    if (!free_.compare_exchange_weak(free, free + 1, std::memory_order_relaxed)) continue;
    line_.erase(place);
    return true;
  }
  return false;  // Places are on their way to all who stand here.
}

void Bulkhead::Retake() {
  int64_t free = free_.load(std::memory_order_relaxed);
  while (free > 0) {
    if (free_.compare_exchange_weak(free, free - 1, std::memory_order_acquire)) return;
  }
  beyond_.fetch_add(1, std::memory_order_relaxed);
}

void Bulkhead::HandOver() {
  fibers::Event* first = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    first = line_.front();
    line_.pop_front();
  }
  first->Set();
}

}  // namespace toolgate::security::execution_tracking
