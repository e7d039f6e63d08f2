// Tools that change the workspace in one transaction.
#ifndef TOOLGATE_SERVICES_EXECUTION_TRANSACTION_RUNNER_H_
#define TOOLGATE_SERVICES_EXECUTION_TRANSACTION_RUNNER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "security/step_ledger.h"
#include "security/tool_call.h"
#include "services/execution/call_frame.h"
#include "services/execution/environment.h"
#include "services/execution/invoker.h"
#include "services/execution/kept_results.h"

namespace toolgate::services::execution {

// Runs any handler but an effect's in one transaction with its audit entry, undo entry, idempotency record and the use
// of its confirmation: all of them are committed, durably, before this answers, or none is. A tool that fails leaves
// its audit entry, those of its steps and its idempotency record, and no other trace. A dry run is the same
// transaction, of bounded length and rolled back at its end. Borrows everything; thread-safe.
class TransactionRunner {
 public:
  TransactionRunner(const Environment& environment, const CallFrame& frame, const KeptResults& kept_results)
      : environment_(environment), frame_(frame), kept_results_(kept_results) {}

  // `planned`, when there is one, was made outside of the transaction: ABORTED, with nothing done, when it is out of
  // date.
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call, const Planned* planned = nullptr) const;

  // Runs a step of an automation in the automation's transaction. Undo entry and commit are the automation's; the
  // step's result is not cut, since later steps look into it and the automation's own answer is cut.
  absl::StatusOr<security::ToolResult> RunStep(security::ToolCall& call) const;

 private:
  absl::Status RunBody(security::ToolCall& call, const Planned* planned, security::StepLedger& steps,
                       storage::Transaction& tx, v1::AuditEntry& entry, security::ToolResult& result) const;
  // Hands the entries of steps that are not committed with their automation to the queue.
  absl::Status QueueAudit(const security::StepLedger& steps) const;

  const Environment& environment_;
  const CallFrame& frame_;
  const KeptResults& kept_results_;
};

// Whether `status` says that the base of a plan has changed; no tool error says that.
bool IsOutOfDate(const absl::Status& status);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_TRANSACTION_RUNNER_H_
