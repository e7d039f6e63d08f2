// A handler inside a transaction.
#ifndef TOOLGATE_SERVICES_EXECUTION_INVOKER_H_
#define TOOLGATE_SERVICES_EXECUTION_INVOKER_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/step_ledger.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"
#include "storage/store.h"

namespace toolgate::services::execution {

// A plan that was made outside of the transaction, or why there is none.
using Planned = absl::StatusOr<executors::Plan>;

// Runs the handler of a call in `tx`, on a savepoint of its own: a tool that fails leaves nothing behind. `planned` is
// null but for a plan that was made before. Fills the changes of `result` with what the tool did, where it succeeded,
// and otherwise says there if a step failed. When the store failed under the tool, `call.state.store_fault` says so.
absl::StatusOr<executors::ToolOutput> Invoke(const Environment& environment, security::ToolCall& call,
                                             const Planned* planned, security::StepLedger& ledger,
                                             storage::Transaction& tx, security::ToolResult& result);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_INVOKER_H_
