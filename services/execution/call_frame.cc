#include "services/execution/call_frame.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "common/message_bounds.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/provenance/provenance.h"
#include "security/spent_confirmation.h"
#include "services/audit/audit_entry.h"
#include "services/execution/stored_outcome.h"

namespace toolgate::services::execution {

using executors::ToolContext;
using executors::ToolOutput;
using security::FailureCause;
using security::ToolCall;
using security::ToolResult;

namespace {

// TIMEOUT and CANCELLED, and the same of a library's, which layer 5 makes an EXECUTION_ERROR of.
bool IsInterruption(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

}  // namespace

bool IsKeyed(const ToolCall& call) { return !call.idempotency_key.empty() && !call.dry_run; }

bool NeedsCommit(const ToolCall& call) { return IsKeyed(call) || call.approval.has_value(); }

absl::Status CompareState(const absl::StatusOr<std::string>& present, std::string_view approved) {
  if (present.ok() && *present == approved) return absl::OkStatus();
  if (!present.ok()) {
    const std::optional<ToolError> error = GetToolError(present.status());
    const bool tells_state =
        error.has_value() && error->code != ErrorCode::kCancelled && error->code != ErrorCode::kTimeout;
    if (!tells_state) return present.status();
  }
  return MakeError(ErrorCode::kConflict,
                   "what this call would do has changed since that was looked at; send it again as a new call, without "
                   "a confirmation token, to have it looked at anew");
}

absl::StatusOr<std::optional<ToolResult>> CallFrame::Open(ToolCall& call, storage::Transaction& tx, State state) const {
  if (IsKeyed(call)) {
    ASSIGN_OR_RETURN(const auto outcome, tx.ClaimIdempotencyKey(call.caller.user_id, call.idempotency_key));
    if (outcome.has_value()) return FromOutcome(call, *outcome, tx);
  }
  if (state == State::kToBeChecked) RETURN_IF_ERROR(CheckState(call, tx));
  if (!call.dry_run) RETURN_IF_ERROR(UseConfirmation(call, tx));
  return std::nullopt;
}

absl::Status CallFrame::CheckState(const ToolCall& call, storage::ReadView& view) const {
  if (!call.approval.has_value() || call.approval->state_digest.empty()) return absl::OkStatus();
  const auto* const preview = std::get_if<executors::WorkspacePreview>(&call.tool->handlers.preview);
  if (preview == nullptr) return absl::OkStatus();
  ToolContext context = ToolContextOf(call, environment_);
  const absl::StatusOr<executors::Preview> present = (*preview)(context, view);
  return CompareState(present.ok() ? absl::StatusOr<std::string>(present->state_digest) : present.status(),
                      call.approval->state_digest);
}

absl::Status CallFrame::UseConfirmation(const ToolCall& call, storage::Transaction& tx) const {
  if (!call.approval.has_value() || call.approval->confirmation_id.empty()) return absl::OkStatus();
  using Decision = storage::Confirmation::State;
  for (const Decision from : {Decision::kPending, Decision::kApproved}) {
    if (call.approval->decision_needed && from == Decision::kPending) continue;
    ASSIGN_OR_RETURN(const bool moved, tx.TransitionConfirmation(call.approval->confirmation_id, from, Decision::kUsed,
                                                                 call.caller.user_id));
    if (moved) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::optional<storage::Confirmation> row, tx.FindConfirmation(call.approval->confirmation_id));
  if (row.has_value()) RETURN_IF_ERROR(security::CheckUnspent(row->state));
  return security::SpentConfirmation(
      "the confirmation cannot be used any more; send the call without a token to ask again");
}

absl::Status CallFrame::UseConfirmationBefore(const ToolCall& call) const {
  if (!call.approval.has_value() || call.approval->confirmation_id.empty()) return absl::OkStatus();
  return environment_.store.Commit(WriteContextOf(call, environment_), storage::CommitMode::kDurable, call.cancellation,
                                   [&](storage::Transaction& tx) { return UseConfirmation(call, tx); });
}

absl::Status CallFrame::Close(ToolCall& call, const absl::StatusOr<ToolOutput>& output, security::StepLedger& steps,
                              storage::Transaction& tx, v1::AuditEntry& entry, ToolResult& result) const {
  FillResult(environment_, call, output, result);
  if (output.ok()) {
    RETURN_IF_ERROR(MarkConversation(call, *output, tx));
    if (result.untrusted && !call.dry_run) environment_.outside_text.ReceiveIn(steps.texts(), call, result);
    RETURN_IF_ERROR(call.settles_as_step() ? PutSettledStep(call, *output, tx, result)
                                           : PushUndo(call, *output, tx, result));
    if (!call.dry_run) RETURN_IF_ERROR(kept_results_.Cap(call, &tx, result));
  }
  if (IsKeyed(call)) {
    ASSIGN_OR_RETURN(const storage::IdempotentOutcome outcome, ToOutcome(call, result, environment_.clock.Now()));
    RETURN_IF_ERROR(tx.PutOutcome(call.caller.user_id, call.idempotency_key, outcome));
  }
  return call.dry_run ? absl::OkStatus() : WriteAudit(call, result, steps, tx, entry);
}

absl::Status CallFrame::WriteAudit(const ToolCall& call, const ToolResult& result, const security::StepLedger& steps,
                                   storage::Transaction& tx, v1::AuditEntry& entry) const {
  for (const v1::AuditEntry& step : steps.entries()) RETURN_IF_ERROR(tx.AppendAudit(step));
  audit::EndAuditEntry(call,
                       {.result = &result,
                        .error = result.error.has_value() ? &*result.error : nullptr,
                        .time = environment_.clock.Now(),
                        .duration = environment_.clock.Monotonic() - call.arrived_monotonic},
                       environment_.masker, entry);
  return tx.AppendAudit(entry);
}

absl::Status CallFrame::PutSettledStep(const ToolCall& call, const ToolOutput& output, storage::Transaction& tx,
                                       ToolResult& result) const {
  if (call.dry_run || (result.changes.empty() && output.reversible)) return absl::OkStatus();
  storage::SettledStep step;
  step.claim_id = call.step_of->claim_id;
  step.number = call.step_of->number;
  step.audit_entry_id = call.audit_entry_id;
  step.tool_id = call.tool->definition.id;
  step.reversible = output.reversible;
  step.changes = result.changes;
  ASSIGN_OR_RETURN(const bool put, tx.PutSettledStep(step, {environment_.process_id, call.step_of->claim_attempt}));
  return put ? absl::OkStatus() : storage::NotHeld(step.claim_id);
}

absl::Status CallFrame::PushUndo(const ToolCall& call, const ToolOutput& output, storage::Transaction& tx,
                                 ToolResult& result) const {
  if (!output.revives.empty()) {
    // No single entry takes several changes back again.
    result.can_undo = output.revives.size() == 1;
    if (result.can_undo) result.undo_entry_id = output.revives.front();
    result.redone = true;
    return absl::OkStatus();
  }
  // An undo has an entry even where the changes that it took back made no difference together.
  if (result.changes.empty() && output.reversible && output.undoes.empty()) return absl::OkStatus();
  storage::UndoEntry entry;
  entry.id = environment_.ids.NewId(tx.context().now);
  entry.user_id = call.caller.user_id;
  entry.tool_id = call.tool->definition.id;
  entry.created_at = tx.context().now;
  entry.description = output.description;
  const size_t listed = std::min(result.affected_block_ids.size(), kMaxShownBlocks);
  entry.affected_block_ids.assign(result.affected_block_ids.begin(),
                                  result.affected_block_ids.begin() + static_cast<std::ptrdiff_t>(listed));
  entry.affected_blocks_omitted = static_cast<int64_t>(result.affected_block_ids.size() - listed);
  entry.reversible = output.reversible;
  entry.undoes = output.undoes;
  entry.audit_entry_id = call.audit_entry_id;
  entry.request_id = call.request_id;
  entry.conversation_id = call.caller.conversation_id;
  entry.changes = result.changes;
  RETURN_IF_ERROR(tx.PushUndoEntry(entry));
  if (call.dry_run) {
    result.can_undo = entry.reversible;
    return absl::OkStatus();
  }
  result.undo_entry_id = entry.id;
  result.can_undo = entry.reversible;
  return absl::OkStatus();
}

void FillResult(const Environment& environment, const ToolCall& call, const absl::StatusOr<ToolOutput>& output,
                ToolResult& result) {
  result.ended_at = environment.clock.Now();
  result.dry_run = call.dry_run;
  result.audit_entry_id = call.audit_entry_id;
  result.success = output.ok();
  if (!output.ok()) {
    result.error = environment.safe_errors.Sanitise(output.status(), call);
    if (result.failure_cause == FailureCause::kTool && IsInterruption(output.status())) {
      result.failure_cause = FailureCause::kInterrupted;
    }
    result.changes = {};
    return;
  }
  result.data_json = output->data_json;
  result.tokens_used = output->tokens_used;
  result.retry_count = output->retry_count;
  result.untrusted = output->untrusted;
  result.reversible = output->reversible;
  result.affected_block_ids = storage::AffectedBlocks(result.changes);
  result.continuation = output->continuation;
}

absl::Status MarkConversation(ToolCall& call, const ToolOutput& output, storage::Transaction& tx) {
  using security::provenance::Provenance;
  return output.untrusted ? Provenance::MarkIn(tx, call) : Provenance::Look(tx, call);
}

}  // namespace toolgate::services::execution
