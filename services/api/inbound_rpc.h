// One RPC's credentials, headers and deadline, as its transport reads them.
#ifndef TOOLGATE_SERVICES_API_INBOUND_RPC_H_
#define TOOLGATE_SERVICES_API_INBOUND_RPC_H_

#include <functional>
#include <string>

#include "absl/time/time.h"
#include "observability/trace_context.h"
#include "observability/tracing/call_span.h"
#include "security/tool_call.h"

namespace toolgate::services::api {

// Filled by the transport before anything of the request is parsed. Nothing in it is verified yet. Borrows the
// recording. Thread-compatible.
struct InboundRpc {
  security::Connection connection;
  observability::TraceContext trace;  // The RPC's own span (observability/tracing/tracer.h); invalid: none was begun.
  observability::tracing::TraceRecording* recording = nullptr;  // Of the RPC; null unless its trace is sampled.
  absl::Time deadline = absl::InfiniteFuture();
  // Answers the peer's address for the operator's log. A function, since only refusals are logged and gRPC makes the
  // text anew each time. Never null.
  std::function<std::string()> peer;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_INBOUND_RPC_H_
