#include "common/fairness/memory_budget.h"

#include <algorithm>
#include <string>

#include "absl/time/time.h"
#include "common/tool_error.h"

namespace toolgate::fairness {
namespace {

constexpr absl::Duration kRetryAfter = absl::Seconds(2);

std::string_view Describe(Bound bound) {
  switch (bound) {
    case Bound::kUser:
      return "your queries together use all the memory that one user's may at the moment; let the others end first";
    case Bound::kWorkspace:
      return "the queries of this workspace together use all the memory that one workspace's may at the moment";
    default:
      return "the queries that run at the moment use all the memory that there is for queries";
  }
}

}  // namespace

MemoryBudget::Reservation::Reservation(MemoryBudget& budget, const Party& party)
    : budget_(budget),
      account_([&]() -> FairShares::Account& {
        absl::MutexLock lock(&budget.mutex_);
        return budget.shares_.Open(party);
      }()),
      covered_(budget.options_.free_bytes) {}

MemoryBudget::Reservation::~Reservation() {
  absl::MutexLock lock(&budget_.mutex_);
  budget_.shares_.Release(account_, reserved_);
  budget_.shares_.Close(account_);
}

bool MemoryBudget::Reservation::ResizeSlowly(int64_t bytes) {
  const int64_t needed = std::max<int64_t>(bytes - budget_.options_.free_bytes, 0);
  const int64_t rounded = (needed + kStep - 1) / kStep * kStep;
  if (rounded == reserved_) return true;
  const Bound bound = budget_.Reserve(account_, rounded - reserved_);
  if (bound != Bound::kNone) {
    refused_by_ = bound;
    return false;
  }
  reserved_ = rounded;
  covered_ = rounded + budget_.options_.free_bytes;
  return true;
}

absl::Status MemoryBudget::Reservation::status() const {
  if (refused_by_ == Bound::kNone) return absl::OkStatus();
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = Describe(refused_by_);
  error.retryable = true;
  error.retry_after = kRetryAfter;
  return ToStatus(error);
}

Bound MemoryBudget::Reserve(FairShares::Account& account, int64_t more) {
  absl::MutexLock lock(&mutex_);
  const Bound bound = more > 0 ? shares_.Exceeded(account, more) : Bound::kNone;
  if (bound == Bound::kNone) {
    shares_.Take(account, more);
  } else {
    ++refused_;
  }
  return bound;
}

int64_t MemoryBudget::reserved_bytes() const {
  absl::MutexLock lock(&mutex_);
  return shares_.taken();
}

int64_t MemoryBudget::refused() const {
  absl::MutexLock lock(&mutex_);
  return refused_;
}

}  // namespace toolgate::fairness
