#include "services/api/arrive.h"

namespace toolgate::services::api {

void Arrive(ApiRuntime& runtime, const InboundRpc& inbound, security::ToolCall& call) {
  call.arrived = runtime.clock.Now();
  call.arrived_monotonic = runtime.clock.Monotonic();
  call.id = runtime.ids.NewId(call.arrived);
  call.audit_entry_id = runtime.ids.NewId(call.arrived);
  call.trace = runtime.tracer.ids().NewChild(inbound.trace);
  call.parent_span_id = inbound.trace.span_id;
  call.recording = inbound.recording;
  // Infinite when the client set no deadline.
  const absl::Duration due = call.arrived_monotonic + (inbound.deadline - call.arrived);
  call.cancellation.Reset(runtime.clock, due);
}

}  // namespace toolgate::services::api
