// The way from a transport to a worker.
#ifndef TOOLGATE_SERVICES_API_TAKE_UP_H_
#define TOOLGATE_SERVICES_API_TAKE_UP_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "services/api/api_runtime.h"

namespace toolgate::services::api {

// Checks an RPC that began at `started`, a reading of the monotonic clock, and that a worker takes up now: TIMEOUT if
// its deadline has passed meanwhile, CANCELLED if its client has left. Either is the answer: nothing shall run that
// nobody waits for.
absl::Status TakeUp(ApiRuntime& runtime, absl::Duration started, absl::Time deadline,
                    const fibers::Cancellation& cancellation);

// Error OVERLOADED, for a call that a full worker pool does not take; counts it.
absl::Status NoWorker(ApiRuntime& runtime);

// Error OVERLOADED, for a request that InputBudget has no room for; counts it.
absl::Status NoRoom(ApiRuntime& runtime);

// Error OVERLOADED with `message`, to be tried again soon.
absl::Status Overloaded(std::string_view message);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_TAKE_UP_H_
