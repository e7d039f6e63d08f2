#include "services/execution/transaction_runner.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

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
constexpr int kMaxScannedAttempts = 4;
// Dry runs whose changes do not fit any more, before the handler runs in the transaction.
constexpr int kMaxTries = 4;

}  // namespace

bool IsOutOfDate(const absl::Status& status) { return absl::IsAborted(status) && !GetToolError(status).has_value(); }

absl::StatusOr<ToolResult> TransactionRunner::Run(ToolCall& call, const Planned* planned) const {
  // Before the transaction, in which every other mutation waits for this one.
  v1::AuditEntry entry;
  audit::BeginAuditEntry(call, environment_.masker, entry);
  security::StepLedger steps;
  return RunWith(call, planned, steps, entry);
}

absl::StatusOr<ToolResult> TransactionRunner::RunTried(ToolCall& call, const Apply& apply) const {
  v1::AuditEntry entry;
  audit::BeginAuditEntry(call, environment_.masker, entry);
  security::StepLedger steps;
  const std::vector<security::Finding> own_findings = call.state.findings;
  const bool was_untrusted = call.state.conversation_untrusted;
  for (int attempt = 1; attempt <= kMaxTries; ++attempt) {
    Tried tried;
    if (const absl::Status status = Try(call, steps, tried); !status.ok()) {
      return End(call, was_untrusted, status, steps, ToolResult());
    }
    if (!tried.applies) break;
    // The dry run's mark was taken back; the settlement makes it again.
    call.state.conversation_untrusted = was_untrusted;
    ToolResult result;
    const absl::Status committed = CommitTried(call, apply, tried, steps, entry, result);
    if (!IsOutOfDate(committed)) return End(call, was_untrusted, committed, steps, std::move(result));
    call.state.findings = own_findings;
    call.state.conversation_untrusted = was_untrusted;
  }
  return RunWith(call, nullptr, steps, entry);
}

absl::Status TransactionRunner::WithScannedTexts(
    ToolCall& call, security::StepLedger& steps,
    absl::FunctionRef<absl::Status(absl::FunctionRef<bool()> lacks_texts)> run) const {
  const size_t own_findings = call.state.findings.size();
  const bool was_untrusted = call.state.conversation_untrusted;
  absl::Status status;
  bool again = true;
  for (int attempt = 1; again; ++attempt) {
    environment_.outside_text.ScanMissing(steps.texts());
    call.state.findings.resize(own_findings);
    call.state.conversation_untrusted = was_untrusted;
    again = false;
    status = run([&] { return again = !steps.texts().missing().empty() && attempt < kMaxScannedAttempts; });
  }
  return status;
}

absl::StatusOr<ToolResult> TransactionRunner::RunWith(ToolCall& call, const Planned* planned,
                                                      security::StepLedger& steps, v1::AuditEntry& entry) const {
  ToolResult result;
  const size_t own_findings = call.state.findings.size();
  const bool was_untrusted = call.state.conversation_untrusted;
  const CommitMode mode = call.dry_run ? CommitMode::kDryRun : CommitMode::kDurable;
  const absl::Status committed = WithScannedTexts(call, steps, [&](absl::FunctionRef<bool()> lacks_texts) {
    return environment_.store.Commit(
        WriteContextOf(call, environment_), mode, call.cancellation, [&](storage::Transaction& tx) {
          // The store may run this more than once.
          steps.BeginAttempt();
          call.state.findings.resize(own_findings);
          call.state.conversation_untrusted = was_untrusted;
          const absl::Status ran = RunBody(call, planned, steps, tx, entry, result);
          if (!ran.ok()) return ran;
          return lacks_texts() ? absl::AbortedError("untrusted text has to be scanned first") : absl::OkStatus();
        });
  });
  return End(call, was_untrusted, committed, steps, std::move(result));
}

absl::StatusOr<ToolResult> TransactionRunner::End(ToolCall& call, bool was_untrusted, const absl::Status& committed,
                                                  security::StepLedger& steps, ToolResult result) const {
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

absl::Status TransactionRunner::Try(ToolCall& call, security::StepLedger& steps, Tried& tried) const {
  const size_t own_findings = call.state.findings.size();
  const bool was_untrusted = call.state.conversation_untrusted;
  return WithScannedTexts(call, steps, [&](absl::FunctionRef<bool()> lacks_texts) {
    return environment_.store.Commit(WriteContextOf(call, environment_), CommitMode::kDryRun, call.cancellation,
                                     [&](storage::Transaction& tx) -> absl::Status {
                                       steps.BeginAttempt();
                                       call.state.findings.resize(own_findings);
                                       call.state.conversation_untrusted = was_untrusted;
                                       call.state.store_fault = absl::OkStatus();
                                       tried = Tried();
                                       tried.result.started_at = environment_.clock.Now();
                                       RETURN_IF_ERROR(frame_.CheckState(call, tx));
                                       tried.output = Invoke(environment_, call, nullptr, steps, tx, tried.result);
                                       RETURN_IF_ERROR(call.state.store_fault);
                                       if (IsOutOfDate(tried.output.status())) return tried.output.status();
                                       tried.applies = !tx.rewrote_ranks();
                                       lacks_texts();
                                       return absl::OkStatus();
                                     });
  });
}

absl::Status TransactionRunner::CommitTried(ToolCall& call, const Apply& apply, const Tried& tried,
                                            security::StepLedger& steps, v1::AuditEntry& entry,
                                            ToolResult& result) const {
  const std::vector<security::Finding> findings = call.state.findings;
  const bool was_untrusted = call.state.conversation_untrusted;
  return environment_.store.Commit(
      WriteContextOf(call, environment_), CommitMode::kDurable, call.cancellation,
      [&](storage::Transaction& tx) -> absl::Status {
        // The store may run this more than once.
        result = ToolResult();
        result.started_at = tried.result.started_at;
        result.failure_cause = tried.result.failure_cause;
        call.state.findings = findings;
        call.state.conversation_untrusted = was_untrusted;
        ASSIGN_OR_RETURN(std::optional<ToolResult> known, frame_.Open(call, tx));
        if (known.has_value()) {
          result = *std::move(known);
          return absl::OkStatus();
        }
        if (tried.output.ok()) {
          RETURN_IF_ERROR(tx.Nested([&] { return apply(tx, tried.result.changes); }, &result.changes));
        }
        return frame_.Close(call, tried.output, steps, tx, entry, result);
      });
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
