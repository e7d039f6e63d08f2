#include "services/rpc/worker_call.h"

#include <utility>

#include "common/tool_error.h"
#include "services/rpc/rpc_status.h"

namespace toolgate::services::rpc {

grpc::ServerUnaryReactor* WorkerCall::Start(RpcRuntime& runtime, Rpc rpc, Work work) {
  auto* call = new WorkerCall(runtime, rpc, std::move(work));
  runtime.calls.Add(*call);
  if (!runtime.workers.Submit([call] { call->Run(); })) {
    const grpc::Status status = ToGrpcStatus(NoWorker());
    call->timer_.Finished(status.error_code());
    call->Finish(status);
  }
  return call;
}

WorkerCall::WorkerCall(RpcRuntime& runtime, Rpc rpc, Work work)
    : runtime_(runtime), timer_(runtime, rpc), work_(std::move(work)) {}

void WorkerCall::Run() {
  const grpc::Status status = ToGrpcStatus(work_(cancellation_));
  timer_.Finished(status.error_code());
  Finish(status);
}

void WorkerCall::OnDone() {
  runtime_.calls.Remove(*this);
  delete this;
}

absl::Status NoWorker() {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "the service is at its limit of waiting calls";
  error.retryable = true;
  error.retry_after = absl::Milliseconds(200);
  return ToStatus(error);
}

}  // namespace toolgate::services::rpc
