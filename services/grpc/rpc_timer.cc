#include "services/grpc/rpc_timer.h"

namespace toolgate::services::grpc {

RpcTimer::RpcTimer(api::ApiRuntime& runtime, api::Rpc rpc)
    : runtime_(runtime), method_(static_cast<size_t>(rpc)), start_(runtime.clock.Monotonic()) {
  runtime_.metrics.RpcStarted(method_);
}

void RpcTimer::Finished(::grpc::StatusCode code) const {
  runtime_.metrics.RpcHandled(method_, static_cast<int>(code), runtime_.clock.Monotonic() - start_);
}

}  // namespace toolgate::services::grpc
