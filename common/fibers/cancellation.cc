#include "common/fibers/cancellation.h"

#include "common/tool_error.h"

namespace toolgate::fibers {

void Cancellation::Cancel() {
  cancelled_.store(true, std::memory_order_relaxed);
  absl::MutexLock lock(&mutex_);
  if (waiter_ != nullptr) waiter_->Wake();
}

void Cancellation::WakeOnCancel(Wakeable* waiter) const {
  absl::MutexLock lock(&mutex_);
  waiter_ = waiter;
  // A Cancel that came before would otherwise wake nobody.
  if (waiter_ != nullptr && cancelled_.load(std::memory_order_relaxed)) waiter_->Wake();
}

absl::Status Cancellation::Check() const {
  if (cancelled()) return MakeError(ErrorCode::kCancelled, "the client left before the call was done");
  if (clock_ != nullptr && clock_->Monotonic() >= deadline_) {
    return MakeError(ErrorCode::kTimeout, "the call's deadline passed before it was done");
  }
  return absl::OkStatus();
}

}  // namespace toolgate::fibers
