#include "services/grpc/worker_call.h"

#include <utility>

#include "common/status_macros.h"
#include "services/api/take_up.h"
#include "services/grpc/rpc_status.h"

namespace toolgate::services::grpc {

::grpc::ServerUnaryReactor* WorkerCall::Start(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context,
                                              RpcTimer timer, Work work) {
  auto* call = new WorkerCall(runtime, context, std::move(timer), std::move(work));
  runtime.calls.Add(*call);
  if (!runtime.workers.Submit([call] { call->End(call->Run()); })) call->End(api::NoWorker(runtime.shared));
  // It lasts until gRPC has taken it from here, also when it has ended.
  return call;
}

WorkerCall::WorkerCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, RpcTimer timer, Work work)
    : runtime_(runtime),
      context_(context),
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
  Finish(answer);
}

void WorkerCall::OnDone() {
  runtime_.calls.Remove(*this);
  delete this;
}

absl::Status TakeUp(api::ApiRuntime& runtime, const ::grpc::ServerContextBase& context,
                    const fibers::Cancellation& cancellation, absl::Duration started) {
  return api::TakeUp(runtime, started, absl::FromChrono(context.deadline()), cancellation);
}

}  // namespace toolgate::services::grpc
