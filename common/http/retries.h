// Requests that failed: which are sent again, and when.
#ifndef TOOLGATE_COMMON_HTTP_RETRIES_H_
#define TOOLGATE_COMMON_HTTP_RETRIES_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/http/retry_budget.h"

namespace toolgate::http {

// Whether the same request may be sent again. A repeatable one does no harm when the service carries it out twice.
enum class Repeat { kNever, kIfRepeatable, kAlways };

// After a response with that status, which is not 200 to 299.
Repeat RepeatAfter(int status);
// After an error of an Exchange. `sent`: Exchange::may_have_been_sent.
Repeat RepeatAfter(const absl::Status& status, bool sent);

// Retries of the requests to one service: with full jitter and within a RetryBudget, and never before the time that a
// Retry-After names; one of more than kMaxRetryAfter ends the request. Thread-safe.
class Retries {
 public:
  // `max_attempts` of one request, its first one included. Borrows the clock.
  Retries(int max_attempts, const Clock& clock) : max_attempts_(max_attempts), budget_(clock) {}

  // A request begins.
  void CountRequest() { budget_.CountRequest(); }
  // The pause before attempt number `next`, from 2; nothing when there is to be none. `retry_after` as the service
  // said.
  std::optional<absl::Duration> PauseBefore(int next, Repeat repeat, bool repeatable,
                                            std::optional<absl::Duration> retry_after);

 private:
  const int max_attempts_;
  RetryBudget budget_;
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_RETRIES_H_
