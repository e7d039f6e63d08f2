#include "services/execution/environment.h"

#include "security/time_zone.h"

namespace toolgate::services::execution {

storage::WriteContext WriteContextOf(const security::ToolCall& call, const Environment& environment) {
  return {call.caller.workspace_id, call.caller.user_id,
          call.audit_entry_id,      environment.clock.Now(),
          call.call_span(),         call.tool == nullptr ? std::string() : call.tool->definition.id};
}

executors::ToolContext ToolContextOf(const security::ToolCall& call, const Environment& environment) {
  executors::ToolContext context{call.arguments(),  call.caller,     call.arrived, security::TimeZoneOf(call.caller),
                                 call.cancellation, environment.ids, call.dry_run};
  context.progress = call.events;
  context.call_span = call.call_span();
  return context;
}

}  // namespace toolgate::services::execution
