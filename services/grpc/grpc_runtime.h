// Parts that every RPC over gRPC shares.
#ifndef TOOLGATE_SERVICES_GRPC_GRPC_RUNTIME_H_
#define TOOLGATE_SERVICES_GRPC_GRPC_RUNTIME_H_

#include "absl/time/time.h"
#include "common/fibers/wait_timer.h"
#include "common/fibers/worker_pool.h"
#include "services/api/api_runtime.h"
#include "services/grpc/call_tracker.h"

namespace toolgate::services::grpc {

// Borrowed by every service; lives as long as the server. Borrows its parts.
struct GrpcRuntime {
  api::ApiRuntime& shared;  // With every other transport.
  fibers::WorkerPool& workers;
  CallTracker& calls;
  fibers::WaitTimer& waits;
  bool tls = false;  // Whether clients may show certificates.
  // The longest that the client of a stream may take to read one message.
  absl::Duration write_timeout = absl::Seconds(60);
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_GRPC_RUNTIME_H_
