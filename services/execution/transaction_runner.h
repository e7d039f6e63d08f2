// Tools that change the workspace in one transaction.
#ifndef TOOLGATE_SERVICES_EXECUTION_TRANSACTION_RUNNER_H_
#define TOOLGATE_SERVICES_EXECUTION_TRANSACTION_RUNNER_H_

#include <functional>

#include "absl/functional/function_ref.h"
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

  // Makes the changes of a dry run (executors::FlexibleHandler::apply).
  using Apply = std::function<absl::Status(storage::Transaction&, const storage::Changes&)>;
  // Runs the handler in a dry run, whose changes `apply` makes in the transaction. When they do not fit any more again
  // and again, the handler runs in the transaction after all. ABORTED, with nothing done, when the handler says that.
  absl::StatusOr<security::ToolResult> RunTried(security::ToolCall& call, const Apply& apply) const;

  // Runs a step of an automation in the automation's transaction. Undo entry and commit are the automation's; the
  // step's result is not cut, since later steps look into it and the automation's own answer is cut.
  absl::StatusOr<security::ToolResult> RunStep(security::ToolCall& call) const;

 private:
  // Outcome of a dry run.
  struct Tried {
    absl::StatusOr<executors::ToolOutput> output = absl::UnknownError("the tool did not run");
    security::ToolResult result;
    bool applies = true;  // False: `result.changes` is not all that it changed.
  };

  // Runs `run`, a transaction or a dry run, again as long as it comes upon text from outside that was not scanned yet,
  // with `call` as it is now.
  absl::Status WithScannedTexts(security::ToolCall& call, security::StepLedger& steps,
                                absl::FunctionRef<absl::Status(absl::FunctionRef<bool()> lacks_texts)> run) const;
  absl::StatusOr<security::ToolResult> RunWith(security::ToolCall& call, const Planned* planned,
                                               security::StepLedger& steps, v1::AuditEntry& entry) const;
  absl::Status Try(security::ToolCall& call, security::StepLedger& steps, Tried& tried) const;
  absl::Status CommitTried(security::ToolCall& call, const Apply& apply, const Tried& tried,
                           security::StepLedger& steps, v1::AuditEntry& entry, security::ToolResult& result) const;
  // Does all that follows the transaction.
  absl::StatusOr<security::ToolResult> End(security::ToolCall& call, bool was_untrusted, const absl::Status& committed,
                                           security::StepLedger& steps, security::ToolResult result) const;
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
