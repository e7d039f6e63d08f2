#include "common/http/retry_budget.h"

#include "absl/time/time.h"

namespace toolgate::http {
namespace {

constexpr int64_t kFreeRetries = 10;
constexpr int64_t kRequestsForARetry = 10;

}  // namespace

void RetryBudget::CountRequest() {
  absl::MutexLock lock(&mutex_);
  ++Present().requests;
}

bool RetryBudget::TakeRetry() {
  absl::MutexLock lock(&mutex_);
  Second& present = Present();
  int64_t requests = 0;
  int64_t retries = 0;
  for (const Second& second : seconds_) {
    if (second.number < 0 || second.number + static_cast<int64_t>(kSeconds) <= present.number) continue;
    requests += second.requests;
    retries += second.retries;
  }
  if (retries >= kFreeRetries + requests / kRequestsForARetry) return false;
  ++present.retries;
  return true;
}

RetryBudget::Second& RetryBudget::Present() {
  const int64_t number = absl::ToInt64Seconds(clock_.Monotonic());
  Second& second = seconds_[static_cast<size_t>(number) % kSeconds];
  if (second.number != number) second = {.number = number};
  return second;
}

}  // namespace toolgate::http
