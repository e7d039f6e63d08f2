// One RPC's credentials, headers and deadline, as its transport reads them.
#ifndef TOOLGATE_SERVICES_API_INBOUND_RPC_H_
#define TOOLGATE_SERVICES_API_INBOUND_RPC_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "security/tool_call.h"

namespace toolgate::services::api {

// Filled by the transport before anything of the request is parsed. Nothing in it is verified yet. Thread-compatible.
struct InboundRpc {
  security::Connection connection;
  std::string_view trace_parent;  // The traceparent header, or empty. The transport keeps its bytes until the RPC ends.
  std::string trace_state;        // The tracestate headers, joined by commas; read only beside a traceparent.
  absl::Time deadline = absl::InfiniteFuture();
  // Answers the peer's address for the operator's log. A function, since only refusals are logged and gRPC makes the
  // text anew each time. Never null.
  std::function<std::string()> peer;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_INBOUND_RPC_H_
