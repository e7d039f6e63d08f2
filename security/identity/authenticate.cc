#include "security/identity/authenticate.h"

#include <utility>

#include "common/status_macros.h"

namespace toolgate::security::identity {

absl::StatusOr<ToolResult> Authenticate::Run(ToolCall& call, Next next) {
  if (!call.is_step()) {
    RETURN_IF_ERROR(call.principal.status());
    ASSIGN_OR_RETURN(call.caller, identity_.Identify(*call.principal, call.claimed));
  }
  return next(call);
}

}  // namespace toolgate::security::identity
