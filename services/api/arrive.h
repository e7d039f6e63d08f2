// The arrival of a tool call.
#ifndef TOOLGATE_SERVICES_API_ARRIVE_H_
#define TOOLGATE_SERVICES_API_ARRIVE_H_

#include "security/tool_call.h"
#include "services/api/api_runtime.h"
#include "services/api/inbound_rpc.h"

namespace toolgate::services::api {

// Sets ids, times, trace context and deadline of a call that has just come in; its principal is the caller's to set.
void Arrive(ApiRuntime& runtime, const InboundRpc& inbound, security::ToolCall& call);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_ARRIVE_H_
