// Outcomes of calls with an idempotency key, as the store keeps them.
#ifndef TOOLGATE_SERVICES_EXECUTION_STORED_OUTCOME_H_
#define TOOLGATE_SERVICES_EXECUTION_STORED_OUTCOME_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "security/tool_call.h"
#include "storage/store.h"

namespace toolgate::services::execution {

// INVALID_PARAMS about the field `idempotency_key`.
absl::Status KeyError(std::string_view message, std::string_view expected);

// The outcome of `call` as it is stored, and back. `outcome` must be of the same tool and arguments as `call`, else
// INVALID_PARAMS. All that is answered of it is as it was but for whether it can be undone, which is what `view` says
// now. Says whether the first call was part of another request or conversation.
absl::StatusOr<storage::IdempotentOutcome> ToOutcome(const security::ToolCall& call, const security::ToolResult& result,
                                                     absl::Time now);
absl::StatusOr<security::ToolResult> FromOutcome(const security::ToolCall& call,
                                                 const storage::IdempotentOutcome& outcome, storage::ReadView& view);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_STORED_OUTCOME_H_
