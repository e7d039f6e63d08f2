// A call as the journal keeps it.
#ifndef TOOLGATE_SERVICES_EXECUTION_CLAIMED_CALL_H_
#define TOOLGATE_SERVICES_EXECUTION_CLAIMED_CALL_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/tool_call.h"

namespace toolgate::services::execution {

// Serialises a call that has passed every layer (toolgate.internal.v1.ClaimedCall).
absl::StatusOr<std::string> ToClaimedCall(const security::ToolCall& call);

// Makes `call`, a fresh one, the call that `bytes` keeps, of `tool`: as it stood when its effect was claimed, with
// frozen arguments. DATA_LOSS when the bytes cannot be read.
absl::Status FromClaimedCall(std::string_view bytes, const executors::Tool& tool, security::ToolCall& call);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_CLAIMED_CALL_H_
