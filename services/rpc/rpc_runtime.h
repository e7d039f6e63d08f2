// What every RPC class shares.
#ifndef TOOLGATE_SERVICES_RPC_RPC_RUNTIME_H_
#define TOOLGATE_SERVICES_RPC_RPC_RUNTIME_H_

#include <grpcpp/server_context.h>

#include <functional>
#include <string>

#include "common/clock.h"
#include "common/ids.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/trace_ids.h"
#include "security/tool_call.h"
#include "services/core/core.h"
#include "services/rpc/call_tracker.h"
#include "services/rpc/rpc_table.h"
#include "services/rpc/worker_pool.h"

namespace toolgate::services::rpc {

using core::Core;

// Borrowed by every service; lives as long as the server.
struct RpcRuntime {
  std::function<const Core&()> core;  // The present one. What it answers lives as long as the server.
  storage::Store& store;
  WorkerPool& workers;
  CallTracker& calls;
  observability::Metrics& metrics;
  observability::TraceIds& trace_ids;
  observability::Logger& logger;
  const Clock& clock;
  IdSource& ids;
  std::string scratch_dir;  // For short-lived files, on the disk that the data is on.
  bool tls = false;         // Whether clients may show certificates.
};

// What the transport says: credentials.
security::Connection ConnectionOf(const RpcRuntime& runtime, const grpc::ServerContextBase& context);

// Sets ids, times, trace context and deadline of a call that has just come in; its principal is the caller's to set.
void Arrive(RpcRuntime& runtime, const grpc::ServerContextBase& context, security::ToolCall& call);

// Counts an RPC from its start to its end.
class RpcTimer {
 public:
  RpcTimer(RpcRuntime& runtime, Rpc rpc);
  void Finished(grpc::StatusCode code) const;
  // A reading of the monotonic clock.
  absl::Duration started() const { return start_; }

 private:
  RpcRuntime& runtime_;
  const size_t method_;
  const absl::Duration start_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_RPC_RUNTIME_H_
