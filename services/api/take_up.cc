#include "services/api/take_up.h"

#include "common/tool_error.h"

namespace toolgate::services::api {

using observability::ShedReason;

absl::Status TakeUp(ApiRuntime& runtime, absl::Duration started, absl::Time deadline,
                    const fibers::Cancellation& cancellation) {
  runtime.metrics.ObserveQueueWait(runtime.clock.Monotonic() - started);
  if (deadline <= runtime.clock.Now()) {
    runtime.metrics.CountShed(ShedReason::kDeadline);
    return MakeError(ErrorCode::kTimeout, "the call's deadline passed while it waited for a worker");
  }
  if (!cancellation.cancelled()) return absl::OkStatus();
  runtime.metrics.CountShed(ShedReason::kCancelled);
  return MakeError(ErrorCode::kCancelled, "the client left while the call waited for a worker");
}

absl::Status NoWorker(ApiRuntime& runtime) {
  runtime.metrics.CountShed(ShedReason::kQueueFull);
  return Overloaded("the service is at its limit of waiting calls");
}

absl::Status NoRoom(ApiRuntime& runtime) {
  runtime.metrics.CountShed(ShedReason::kQueueFull);
  return Overloaded("the service holds too much of other requests at the moment");
}

absl::Status Overloaded(std::string_view message) {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = message;
  error.retryable = true;
  error.retry_after = absl::Milliseconds(200);
  return ToStatus(error);
}

}  // namespace toolgate::services::api
