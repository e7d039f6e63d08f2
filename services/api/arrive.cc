#include "services/api/arrive.h"

#include <optional>

#include "observability/trace_context.h"

namespace toolgate::services::api {

void Arrive(ApiRuntime& runtime, const InboundRpc& inbound, security::ToolCall& call) {
  call.arrived = runtime.clock.Now();
  call.arrived_monotonic = runtime.clock.Monotonic();
  call.id = runtime.ids.NewId(call.arrived);
  call.audit_entry_id = runtime.ids.NewId(call.arrived);
  if (std::optional<observability::TraceContext> parent;
      !inbound.trace_parent.empty() && (parent = observability::ParseTraceParent(inbound.trace_parent)).has_value()) {
    if (!inbound.trace_state.empty()) parent->trace_state = observability::ParseTraceState(inbound.trace_state);
    call.parent_span_id = parent->span_id;
    call.trace = runtime.trace_ids.NewChild(*parent);
  } else {
    call.trace = runtime.trace_ids.NewTrace();
  }
  // Infinite when the client set no deadline.
  const absl::Duration due = call.arrived_monotonic + (inbound.deadline - call.arrived);
  call.cancellation.Reset(runtime.clock, due);
}

}  // namespace toolgate::services::api
