// Keeps retries from multiplying the load on a service that is down.
#ifndef TOOLGATE_COMMON_HTTP_RETRY_BUDGET_H_
#define TOOLGATE_COMMON_HTTP_RETRY_BUDGET_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"

namespace toolgate::http {

// Allows ten retries in a minute, and one more for each ten requests of that minute. Thread-safe.
class RetryBudget {
 public:
  // Borrows the clock.
  explicit RetryBudget(const Clock& clock) : clock_(clock) {}

  // A request begins; its retries do not count as such.
  void CountRequest() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether a retry may be made. Then it is counted.
  bool TakeRetry() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  static constexpr size_t kSeconds = 60;
  struct Second {
    int64_t number = -1;  // Since the clock's start.
    int64_t requests = 0;
    int64_t retries = 0;
  };

  Second& Present() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  std::array<Second, kSeconds> seconds_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_RETRY_BUDGET_H_
