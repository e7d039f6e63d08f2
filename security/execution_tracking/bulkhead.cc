#include "security/execution_tracking/bulkhead.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/container/inlined_vector.h"
#include "common/tool_error.h"

namespace toolgate::security::execution_tracking {
namespace {

using fairness::Bound;
using fairness::Party;

// By then everything that waits now has run or given up.
absl::Status Overloaded(std::string_view message, absl::Duration max_queue_time) {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = message;
  error.retryable = true;
  error.retry_after = max_queue_time;
  return ToStatus(error);
}

std::string_view DescribeFullLine(Bound bound) {
  switch (bound) {
    case Bound::kUser:
      return "too many calls of this user are waiting already";
    case Bound::kWorkspace:
      return "too many calls of this workspace are waiting already";
    default:
      return "the service is busy and too many calls are waiting already";
  }
}

std::string_view DescribeWait(Bound bound) {
  switch (bound) {
    case Bound::kUser:
      return "too many calls of this user are running, and none of them ended in time";
    case Bound::kWorkspace:
      return "too many calls of this workspace are running, and none of them ended in time";
    default:
      return "the service is busy and the call found no place to run in time";
  }
}

}  // namespace

void QueuePatience::Begin() {
  if (!give_up_at_.has_value()) give_up_at_ = clock_.Monotonic() + max_queue_time_;
}

absl::Status QueuePatience::Check(Bound bound) const {
  if (absl::Status status = cancellation_.Check(); !status.ok()) return status;
  if (clock_.Monotonic() < *give_up_at_) return absl::OkStatus();
  return Overloaded(DescribeWait(bound), max_queue_time_);
}

std::optional<Bulkhead::Slot> Bulkhead::TryAcquire(const Party& party) {
  absl::MutexLock lock(&mutex_);
  fairness::FairShares::Account& account = shares_.Open(party);
  if (shares_.Exceeded(account) == Bound::kNone) {
    shares_.Take(account);
    return Slot(*this, account);
  }
  shares_.Close(account);
  return std::nullopt;
}

absl::StatusOr<Bulkhead::Slot> Bulkhead::Acquire(const Party& party, QueuePatience& patience) {
  if (std::optional<Slot> slot = TryAcquire(party)) return *std::move(slot);
  const fairness::SharedCount::Taken ticket = queued_.TryTake(party);
  if (const auto* const bound = std::get_if<Bound>(&ticket); bound != nullptr) {
    return Overloaded(DescribeFullLine(*bound), patience.max_queue_time());
  }
  patience.Begin();
  Waiter waiter;
  if (TakeOrJoin(party, waiter)) return Slot(*this, *waiter.account);
  const absl::StatusOr<bool> came = timer_.Wait(waiter.slot_came, patience.cancellation(), patience.give_up_at());
  if (came.ok() && *came) return Slot(*this, *waiter.account);
  if (const std::optional<Bound> bound = LeaveLine(waiter)) return came.ok() ? patience.Check(*bound) : came.status();
  while (!waiter.slot_came.IsSet()) waiter.slot_came.WaitAside();
  return Slot(*this, *waiter.account);
}

bool Bulkhead::TakeOrJoin(const Party& party, Waiter& waiter) {
  absl::MutexLock lock(&mutex_);
  waiter.account = &shares_.Open(party);
  if (shares_.Exceeded(*waiter.account) == Bound::kNone) {
    shares_.Take(*waiter.account);
    return true;
  }
  shares_.Join(waiter);
  return false;
}

std::optional<Bound> Bulkhead::LeaveLine(Waiter& waiter) {
  absl::MutexLock lock(&mutex_);
  if (!waiter.in_line) return std::nullopt;
  const Bound bound = shares_.Exceeded(*waiter.account);
  shares_.Leave(waiter);
  shares_.Close(*waiter.account);
  return bound;
}

void Bulkhead::Release(fairness::FairShares::Account& account, bool for_good) {
  // One slot that comes free may be for one call, and make room in their shares for a few others.
  absl::InlinedVector<Waiter*, 4> granted;
  {
    absl::MutexLock lock(&mutex_);
    shares_.Release(account);
    while (fairness::FairShares::Waiter* const next = shares_.Grant()) granted.push_back(static_cast<Waiter*>(next));
    if (for_good) shares_.Close(account);
  }
  for (Waiter* const waiter : granted) waiter->slot_came.Set();
}

void Bulkhead::Retake(fairness::FairShares::Account& account) {
  absl::MutexLock lock(&mutex_);
  shares_.Take(account);
}

}  // namespace toolgate::security::execution_tracking
