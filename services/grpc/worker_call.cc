#include "services/grpc/worker_call.h"

#include <utility>

#include "common/status_macros.h"
#include "services/api/take_up.h"
#include "services/grpc/rpc_status.h"

namespace toolgate::services::grpc {

::grpc::ServerUnaryReactor* WorkerCall::Start(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context,
                                              RpcTimer timer, Work work) {
  auto* call = new WorkerCall(runtime, context, std::move(timer), std::move(work));
  ::grpc::ServerUnaryReactor* const reactor = call->reactor_;
  runtime.calls.Add(*call);
  if (!runtime.workers.Submit([call] { call->End(call->Run()); })) call->End(api::NoWorker(runtime.shared));
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
  return api::TakeUp(runtime, started, absl::FromChrono(context.deadline()), cancellation);
}

}  // namespace toolgate::services::grpc
