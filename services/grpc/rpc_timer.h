// Metrics and server span of one RPC.
#ifndef TOOLGATE_SERVICES_GRPC_RPC_TIMER_H_
#define TOOLGATE_SERVICES_GRPC_RPC_TIMER_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status_code_enum.h>

#include <cstddef>

#include "absl/time/time.h"
#include "observability/tracing/tracer.h"
#include "services/api/api_runtime.h"
#include "services/api/rpc_table.h"

namespace toolgate::services::grpc {

// Counts and traces an RPC from its start to its end. Borrows the runtime. Thread-compatible.
class RpcTimer {
 public:
  // Reads the headers of the trace that the RPC continues from `context`.
  RpcTimer(api::ApiRuntime& runtime, api::Rpc rpc, const ::grpc::ServerContextBase& context);
  // Called once, when nothing works for the RPC any more.
  void Finished(::grpc::StatusCode code);
  // A reading of the monotonic clock.
  absl::Duration started() const { return start_; }
  const observability::tracing::RpcTrace& trace() const { return trace_; }

 private:
  api::ApiRuntime& runtime_;
  const size_t method_;
  const absl::Duration start_;
  observability::tracing::RpcTrace trace_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_RPC_TIMER_H_
