// Metrics of one RPC.
#ifndef TOOLGATE_SERVICES_GRPC_RPC_TIMER_H_
#define TOOLGATE_SERVICES_GRPC_RPC_TIMER_H_

#include <grpcpp/support/status_code_enum.h>

#include <cstddef>

#include "absl/time/time.h"
#include "services/api/api_runtime.h"
#include "services/api/rpc_table.h"

namespace toolgate::services::grpc {

// Counts an RPC from its start to its end. Borrows the runtime. Thread-compatible.
class RpcTimer {
 public:
  RpcTimer(api::ApiRuntime& runtime, api::Rpc rpc);
  void Finished(::grpc::StatusCode code) const;
  // A reading of the monotonic clock.
  absl::Duration started() const { return start_; }

 private:
  api::ApiRuntime& runtime_;
  const size_t method_;
  const absl::Duration start_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_RPC_TIMER_H_
