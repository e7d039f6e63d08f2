#include "services/execution/transaction_runner.h"

#include <optional>
#include <utility>
#include <variant>

#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/audit/audit_entry.h"
#include "services/execution/step_call.h"

namespace toolgate::services::execution {

using executors::ToolOutput;
using security::ToolCall;
using security::ToolResult;
using storage::CommitMode;

namespace {

// Attempts at a transaction in which untrusted text is found. The last one's may go without a scan, in a
// conversation that is marked all the same.
constexpr int kMaxAttempts = 4;

}  // namespace

bool IsOutOfDate(const absl::Status& status) { return absl::IsAborted(status) && !GetToolError(status).has_value(); }

absl::StatusOr<ToolResult> TransactionRunner::Run(ToolCall& call, const Planned* planned) const {
  ToolResult result;
  const size_t own_findings = call.state.findings.size();
  const bool was_untrusted = call.state.conversation_untrusted;
  // Before the transaction, in which every other mutation waits for this one.
  v1::AuditEntry entry;
  audit::BeginAuditEntry(call, environment_.masker, entry);
  security::StepLedger steps;
  absl::Status committed;
  // Untrusted text that the transaction comes upon is scanned between two attempts, as long as each finds another.
  bool again = true;
  for (int attempt = 1; again; ++attempt) {
    again = false;
    environment_.outside_text.ScanMissing(steps.texts());
    committed = environment_.store.Commit(
        WriteContextOf(call, environment_), call.dry_run ? CommitMode::kDryRun : CommitMode::kDurable,
        call.cancellation, [&](storage::Transaction& tx) {
          steps.BeginAttempt();
          call.state.findings.resize(own_findings);
          call.state.conversation_untrusted = was_untrusted;
          const absl::Status ran = RunBody(call, planned, steps, tx, entry, result);
          again = ran.ok() && !steps.texts().missing().empty() && attempt < kMaxAttempts;
          return again ? absl::AbortedError("untrusted text has to be scanned first") : ran;
        });
  }
  if (!committed.ok()) steps.MarkTakenBack(0);
  if (!committed.ok() || call.dry_run) RETURN_IF_ERROR(QueueAudit(steps));
  RETURN_IF_ERROR(committed);
  // A dry run takes its mark back, but its data has reached the model; so has a stored answer's, perhaps in another
  // conversation than it was first given in.
  if (result.untrusted && (call.dry_run || result.replayed)) {
    call.state.conversation_untrusted = was_untrusted;
    RETURN_IF_ERROR(environment_.outside_text.Receive(call, result));
  }
  if (call.dry_run) RETURN_IF_ERROR(kept_results_.Cap(call, nullptr, result));
  // A dry run's entry went back with everything else; the pipeline writes another.
  call.state.audited = !call.dry_run && !result.replayed;
  return result;
}

absl::Status TransactionRunner::RunBody(ToolCall& call, const Planned* planned, security::StepLedger& steps,
                                        storage::Transaction& tx, v1::AuditEntry& entry, ToolResult& result) const {
  // The store may run this more than once.
  result = ToolResult();
  call.state.store_fault = absl::OkStatus();
  result.started_at = environment_.clock.Now();
  if (call.dry_run) tx.LimitChanges(storage::kMaxTriedChanges);
  const CallFrame::State state = planned != nullptr ? CallFrame::State::kWasChecked : CallFrame::State::kToBeChecked;
  ASSIGN_OR_RETURN(std::optional<ToolResult> known, frame_.Open(call, tx, state));
  if (known.has_value()) {
    result = *std::move(known);
    return absl::OkStatus();
  }
  const absl::StatusOr<ToolOutput> output = Invoke(environment_, call, planned, steps, tx, result);
  RETURN_IF_ERROR(call.state.store_fault);
  const bool may_be_refused =
      planned != nullptr || std::holds_alternative<executors::FlexibleHandler>(call.tool->handlers.run);
  if (may_be_refused && IsOutOfDate(output.status())) return output.status();
  if (call.settles_as_step()) RETURN_IF_ERROR(CheckApproved(call, output));
  return frame_.Close(call, output, steps, tx, entry, result);
}

absl::StatusOr<ToolResult> TransactionRunner::RunStep(ToolCall& call) const {
  storage::Transaction& tx = *call.transaction();
  ToolResult result;
  result.started_at = environment_.clock.Now();
  const absl::StatusOr<ToolOutput> output = Invoke(environment_, call, nullptr, *call.step_of->ledger, tx, result);
  RETURN_IF_ERROR(call.state.store_fault);
  FillResult(environment_, call, output, result);
  if (output.ok()) RETURN_IF_ERROR(MarkConversation(call, *output, tx));
  if (result.untrusted) environment_.outside_text.ReceiveIn(call.step_of->ledger->texts(), call, result);
  return result;
}

absl::Status TransactionRunner::QueueAudit(const security::StepLedger& steps) const {
  for (const v1::AuditEntry& step : steps.entries()) RETURN_IF_ERROR(environment_.audit.Add(step));
  return absl::OkStatus();
}

}  // namespace toolgate::services::execution
