#include "security/execution_tracking/bulkhead.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

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
  fairness::FairLine::Account* const account = line_.TryTake(party);
  if (account == nullptr) return std::nullopt;
  return Slot(*this, *account);
}

absl::StatusOr<Bulkhead::Slot> Bulkhead::Acquire(const Party& party, QueuePatience& patience) {
  if (std::optional<Slot> slot = TryAcquire(party)) return *std::move(slot);
  const fairness::SharedCount::Taken ticket = queued_.TryTake(party);
  if (const auto* const bound = std::get_if<Bound>(&ticket); bound != nullptr) {
    return Overloaded(DescribeFullLine(*bound), patience.max_queue_time());
  }
  patience.Begin();
  fairness::FairLine::Waiter waiter;
  if (line_.TakeOrJoin(party, waiter)) return Slot(*this, *waiter.account);
  const absl::StatusOr<bool> came = timer_.Wait(waiter.came, patience.cancellation(), patience.give_up_at());
  if (came.ok() && *came) return Slot(*this, *waiter.account);
  if (const std::optional<Bound> bound = line_.Leave(waiter)) return came.ok() ? patience.Check(*bound) : came.status();
  while (!waiter.came.IsSet()) waiter.came.WaitAside();
  return Slot(*this, *waiter.account);
}

}  // namespace toolgate::security::execution_tracking
