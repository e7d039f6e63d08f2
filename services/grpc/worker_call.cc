#include "services/grpc/worker_call.h"

#include <utility>

#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/grpc/rpc_status.h"

namespace toolgate::services::grpc {

using observability::ShedReason;

::grpc::ServerUnaryReactor* WorkerCall::Start(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context,
                                              RpcTimer timer, Work work) {
  auto* call = new WorkerCall(runtime, context, std::move(timer), std::move(work));
  ::grpc::ServerUnaryReactor* const reactor = call->reactor_;
  runtime.calls.Add(*call);
  if (!runtime.workers.Submit([call] { call->End(call->Run()); })) call->End(NoWorker(runtime.shared));
  return reactor;
}

WorkerCall::WorkerCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, RpcTimer timer, Work work)
    : runtime_(runtime),
      context_(context),
      reactor_(context.DefaultReactor()),
      timer_(std::move(timer)),
      submitted_(runtime.shared.clock.Monotonic()),
      work_(std::move(work)) {
  cancellation_.Watch(*this);
}

absl::Status WorkerCall::Run() {
  RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, submitted_));
  return work_(timer_, cancellation_);
}

void WorkerCall::End(const absl::Status& status) {
  const ::grpc::Status answer = ToGrpcStatus(status);
  timer_.Finished(answer.error_code());
  runtime_.calls.Remove(*this);
  // From Finish on the context may go at any moment, and with it whatever this refers to.
  ::grpc::ServerUnaryReactor* const reactor = reactor_;
  delete this;
  reactor->Finish(answer);
}

absl::Status TakeUp(api::ApiRuntime& runtime, const ::grpc::ServerContextBase& context,
                    const fibers::Cancellation& cancellation, absl::Duration started) {
  runtime.metrics.ObserveQueueWait(runtime.clock.Monotonic() - started);
  if (absl::FromChrono(context.deadline()) <= runtime.clock.Now()) {
    runtime.metrics.CountShed(ShedReason::kDeadline);
    return MakeError(ErrorCode::kTimeout, "the call's deadline passed while it waited for a worker");
  }
  if (!cancellation.cancelled()) return absl::OkStatus();
  runtime.metrics.CountShed(ShedReason::kCancelled);
  return MakeError(ErrorCode::kCancelled, "the client left while the call waited for a worker");
}

absl::Status NoWorker(api::ApiRuntime& runtime) {
  runtime.metrics.CountShed(ShedReason::kQueueFull);
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "the service is at its limit of waiting calls";
  error.retryable = true;
  error.retry_after = absl::Milliseconds(200);
  return ToStatus(error);
}

}  // namespace toolgate::services::grpc
