// Tools that work on a snapshot and then write.
#ifndef TOOLGATE_SERVICES_EXECUTION_PLAN_RUNNER_H_
#define TOOLGATE_SERVICES_EXECUTION_PLAN_RUNNER_H_

#include "absl/status/statusor.h"
#include "security/tool_call.h"
#include "services/execution/call_frame.h"
#include "services/execution/environment.h"
#include "services/execution/invoker.h"
#include "services/execution/plan_turns.h"
#include "services/execution/read_runner.h"
#include "services/execution/transaction_runner.h"

namespace toolgate::services::execution {

// Runs a PlanHandler: the long part on a snapshot, and a transaction only for what there is to write. A plan that is
// out of date is made again, in turn (PlanTurns) when that happens often, and never inside the transaction; CONFLICT,
// retryable, when it goes on. Borrows everything; thread-safe.
class PlanRunner {
 public:
  PlanRunner(const Environment& environment, const CallFrame& frame, const ReadRunner& reads,
             const TransactionRunner& transactions)
      : environment_(environment),
        frame_(frame),
        reads_(reads),
        transactions_(transactions),
        turns_(environment.waits) {}

  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call) const;

 private:
  // Makes the plan in the state for which the call was let pass; CONFLICT when there is another. A tool that fails is
  // no error here.
  absl::Status MakePlan(security::ToolCall& call, Planned& planned) const;

  const Environment& environment_;
  const CallFrame& frame_;
  const ReadRunner& reads_;
  const TransactionRunner& transactions_;
  mutable PlanTurns turns_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_PLAN_RUNNER_H_
