#include "services/pipeline/tool_runner.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/provenance/provenance.h"
#include "security/time_zone.h"
#include "services/pipeline/idempotency.h"
#include "storage/fault.h"

namespace toolgate::services::pipeline {
namespace {

using executors::Plan;
using executors::PlanHandler;
using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolOutput;
using executors::WriteHandler;
using security::FailureCause;
using security::ToolCall;
using security::ToolResult;
using storage::CommitMode;
using State = storage::Confirmation::State;

// The question about an automation goes by the tools' definitions.
absl::Status MoreThanWasApproved() {
  return MakeError(ErrorCode::kConflict,
                   "there is more than undo can keep, and whoever approved the automation was told that it can be "
                   "taken back; run the tool by itself");
}

// Runs an automation's steps: each is a call of its own, in the automation's transaction and on its behalf.
class PipelineSteps final : public executors::StepRunner {
 public:
  PipelineSteps(ToolCall& parent, const Clock& clock, IdSource& ids,
                const std::function<absl::StatusOr<ToolResult>(ToolCall&)>& run)
      : parent_(parent), clock_(clock), ids_(ids), run_(run) {}

  absl::StatusOr<executors::StepResult> RunStep(const executors::Step& given,
                                                storage::Transaction& transaction) override {
    ToolCall step;
    step.tool_id = given.tool_id;
    step.SetArguments(given.arguments);
    step.caller = parent_.caller;
    step.request_id = parent_.request_id;
    step.dry_run = parent_.dry_run;
    step.trace = parent_.trace;
    step.parent_span_id = parent_.trace.span_id;
    step.parent_call_id = parent_.id;
    step.transaction = &transaction;
    step.approved_as_a_whole = given.is_shown && (!parent_.confirmation_id.empty() || parent_.approved_as_a_whole);
    step.arrived = clock_.Now();
    step.arrived_monotonic = clock_.Monotonic();
    step.id = ids_.NewId(step.arrived);
    step.audit_entry_id = ids_.NewId(step.arrived);
    step.cancellation.Reset(clock_, parent_.cancellation.deadline());
    if (parent_.cancellation.cancelled()) step.cancellation.Cancel();
    step.step_ledger = parent_.step_ledger;
    step.charged_before = step.step_ledger->Claim(step.tool_id);
    step.on_started = [&] {
      if (!step.charged_before) step.step_ledger->NoteCharged(step.tool_id);
    };
    absl::StatusOr<ToolResult> ran = run_(step);
    parent_.store_fault.Update(step.store_fault);
    last_failed_ = !ran.ok() || !ran->success;
    ASSIGN_OR_RETURN(ToolResult result, std::move(ran));
    // What came from outside in a step is in the automation's answer as well, and what a step did for good was done by
    // the automation.
    untrusted_ |= result.untrusted;
    reversible_ &= result.reversible;
    parent_.conversation_untrusted |= step.conversation_untrusted;
    if (!result.success) return ToStatus(result.error.value_or(ToolError{}));
    if (step.approved_as_a_whole && !result.reversible && step.tool->definition.annotations.reversible) {
      return MoreThanWasApproved();
    }
    return executors::StepResult{std::move(result.data_json), result.reversible, result.untrusted};
  }

  // Whether the latest step was refused or failed: a handler that fails then passes that failure on.
  bool last_failed() const { return last_failed_; }

  // Passes the steps' marks on to the output of the whole.
  void Mark(ToolOutput& output) const {
    output.untrusted |= untrusted_;
    output.reversible &= reversible_;
  }

 private:
  bool untrusted_ = false;
  bool reversible_ = true;
  bool last_failed_ = false;
  ToolCall& parent_;
  const Clock& clock_;
  IdSource& ids_;
  const std::function<absl::StatusOr<ToolResult>(ToolCall&)>& run_;
};

// How often a plan is made anew outside of the transaction before it is made inside.
constexpr int kPlanAttempts = 3;

bool IsKeyed(const ToolCall& call) { return !call.idempotency_key.empty() && !call.dry_run; }

// Also for a call that writes nothing itself.
bool NeedsTransaction(const ToolCall& call) {
  return IsKeyed(call) || !call.confirmation_id.empty() || !call.state_digest.empty();
}

// The plan's base has changed: a status of its own, that no tool error is.
bool IsOutOfDate(const absl::Status& status) { return absl::IsAborted(status) && !GetToolError(status).has_value(); }

// TIMEOUT and CANCELLED, and the same of a library's, which layer 5 makes an EXECUTION_ERROR of.
bool IsInterruption(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

absl::StatusOr<ToolOutput> CommitPlan(const absl::StatusOr<Plan>& plan, storage::Transaction& tx) {
  if (!plan.ok()) return plan.status();
  if (plan->commit != nullptr) RETURN_IF_ERROR(plan->commit(tx));
  return plan->output;
}

}  // namespace

absl::StatusOr<ToolResult> ToolRunner::Run(ToolCall& call) {
  RETURN_IF_ERROR(call.cancellation.Check());
  if (call.dry_run) RETURN_IF_ERROR(UseConfirmationBefore(call));
  if (call.on_started != nullptr) call.on_started();
  if (call.transaction != nullptr) return RunStep(call);
  if (std::holds_alternative<PlanHandler>(call.tool->handlers.run)) return RunPlanned(call);
  if (call.tool->read_only() && !NeedsTransaction(call)) return RunRead(call);
  return RunInTransaction(call);
}

ToolContext ToolRunner::ContextOf(const ToolCall& call) const {
  return {call.arguments(),  call.caller,       call.arrived, security::TimeZoneOf(call.caller),
          call.cancellation, dependencies_.ids, call.dry_run};
}

ToolRunner::Planned ToolRunner::MakePlan(ToolCall& call) {
  ToolContext context = ContextOf(call);
  Planned planned = absl::UnknownError("the tool did not run");
  bool ran = false;
  const absl::Status status =
      dependencies_.store.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) {
        ran = true;
        planned = std::get<PlanHandler>(call.tool->handlers.run)(context, view);
        return planned.status();
      });
  if (!ran) return call.store_fault = status;
  if (storage::IsFault(planned.status())) call.store_fault = planned.status();
  return planned;
}

absl::StatusOr<ToolResult> ToolRunner::RunPlanned(ToolCall& call) {
  for (int attempt = 1; attempt <= kPlanAttempts; ++attempt) {
    ToolResult result;
    result.started_at = dependencies_.clock.Now();
    Planned planned = MakePlan(call);
    RETURN_IF_ERROR(call.store_fault);
    const bool writes = planned.ok() && planned->commit != nullptr;
    if (!writes && !NeedsTransaction(call)) {
      Fill(call, planned.ok() ? absl::StatusOr<ToolOutput>(std::move(planned->output)) : planned.status(), result);
      if (result.untrusted) RETURN_IF_ERROR(dependencies_.take_in(call, result));
      RETURN_IF_ERROR(Cap(call, nullptr, result));
      return result;
    }
    absl::StatusOr<ToolResult> done = RunInTransaction(call, &planned);
    if (done.ok() || !IsOutOfDate(done.status())) return done;
  }
  return RunInTransaction(call);
}

absl::Status ToolRunner::MarkConversation(ToolCall& call, const ToolOutput& output, storage::Transaction& tx) const {
  using security::provenance::Provenance;
  return output.untrusted ? Provenance::MarkIn(tx, call) : Provenance::Look(tx, call);
}

absl::StatusOr<ToolResult> ToolRunner::RunRead(ToolCall& call) {
  ToolContext context = ContextOf(call);
  ToolResult result;
  result.started_at = dependencies_.clock.Now();
  absl::StatusOr<ToolOutput> output = absl::UnknownError("the tool did not run");
  bool ran = false;
  const absl::Status status =
      dependencies_.store.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) {
        ran = true;
        output = std::get<ReadHandler>(call.tool->handlers.run)(context, view);
        return output.status();
      });
  if (!ran) return status;
  if (storage::IsFault(output.status())) return call.store_fault = output.status();
  Fill(call, output, result);
  if (result.untrusted) RETURN_IF_ERROR(dependencies_.take_in(call, result));
  RETURN_IF_ERROR(Cap(call, nullptr, result));
  return result;
}

absl::StatusOr<ToolResult> ToolRunner::RunInTransaction(ToolCall& call, const Planned* planned) {
  const storage::WriteContext context{call.caller.workspace_id, call.caller.user_id, call.audit_entry_id,
                                      dependencies_.clock.Now()};
  ToolResult result;
  const size_t own_findings = call.findings.size();
  const bool was_untrusted = call.conversation_untrusted;
  const CommitMode mode = call.dry_run ? CommitMode::kDryRun : CommitMode::kDurable;
  // Before the transaction, in which every other mutation waits for this one.
  v1::AuditEntry entry = BeginAuditEntry(call, dependencies_.mask);
  security::StepLedger steps;
  call.step_ledger = &steps;
  const absl::Cleanup forget_steps = [&call] { call.step_ledger = nullptr; };
  const absl::Status committed =
      dependencies_.store.Commit(context, mode, call.cancellation, [&](storage::Transaction& tx) {
        steps.BeginAttempt();
        call.findings.resize(own_findings);
        call.conversation_untrusted = was_untrusted;
        return RunTransactionBody(call, planned, tx, entry, result);
      });
  if (!committed.ok()) steps.MarkTakenBack(0);
  if (!committed.ok() || call.dry_run) RETURN_IF_ERROR(AuditSteps(steps));
  RETURN_IF_ERROR(committed);
  // A dry run takes its mark back, but its data has reached the model; so has a stored answer's, perhaps in another
  // conversation than it was first given in.
  if (result.untrusted && (call.dry_run || result.replayed)) {
    call.conversation_untrusted = was_untrusted;
    RETURN_IF_ERROR(dependencies_.take_in(call, result));
  }
  if (call.dry_run) RETURN_IF_ERROR(Cap(call, nullptr, result));
  // A dry run's entry went back with everything else; the record step writes another.
  call.audited = !call.dry_run && !result.replayed;
  return result;
}

absl::Status ToolRunner::RunTransactionBody(ToolCall& call, const Planned* planned, storage::Transaction& tx,
                                            v1::AuditEntry& entry, ToolResult& result) {
  // The store may run this more than once.
  result = ToolResult();
  call.store_fault = absl::OkStatus();
  result.started_at = dependencies_.clock.Now();
  const bool keyed = IsKeyed(call);
  if (keyed) {
    ASSIGN_OR_RETURN(std::optional<ToolResult> replay, Replay(call, tx));
    if (replay.has_value()) {
      result = *std::move(replay);
      return absl::OkStatus();
    }
  }
  RETURN_IF_ERROR(CheckState(call, tx));
  if (!call.dry_run) RETURN_IF_ERROR(UseConfirmation(call, tx));
  const absl::StatusOr<ToolOutput> output = InvokeInTransaction(call, planned, tx, result);
  RETURN_IF_ERROR(call.store_fault);
  if (planned != nullptr && IsOutOfDate(output.status())) return output.status();
  Fill(call, output, result);
  if (output.ok()) {
    RETURN_IF_ERROR(MarkConversation(call, *output, tx));
    if (result.untrusted && !call.dry_run) RETURN_IF_ERROR(dependencies_.take_in(call, result));
    RETURN_IF_ERROR(PushUndo(call, *output, tx, result));
    if (!call.dry_run) RETURN_IF_ERROR(Cap(call, &tx, result));
  }
  if (keyed) {
    ASSIGN_OR_RETURN(const storage::IdempotentOutcome outcome, ToOutcome(call, result, dependencies_.clock.Now()));
    RETURN_IF_ERROR(tx.PutOutcome(call.caller.user_id, call.idempotency_key, outcome));
  }
  if (call.dry_run) return absl::OkStatus();
  for (const v1::AuditEntry& step : call.step_ledger->entries()) RETURN_IF_ERROR(tx.AppendAudit(step));
  EndAudit(call, result, entry);
  return tx.AppendAudit(entry);
}

absl::Status ToolRunner::AuditSteps(const security::StepLedger& steps) const {
  for (const v1::AuditEntry& step : steps.entries()) RETURN_IF_ERROR(dependencies_.audit_step(step));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<ToolResult>> ToolRunner::Replay(const ToolCall& call, storage::Transaction& tx) {
  ASSIGN_OR_RETURN(const auto outcome, tx.ClaimIdempotencyKey(call.caller.user_id, call.idempotency_key));
  if (!outcome.has_value()) return std::nullopt;
  ASSIGN_OR_RETURN(ToolResult result, FromOutcome(call, *outcome, tx));
  return result;
}

absl::Status ToolRunner::CheckState(const ToolCall& call, storage::Transaction& tx) {
  if (call.state_digest.empty()) return absl::OkStatus();
  ToolContext context = ContextOf(call);
  const absl::StatusOr<executors::Preview> preview = call.tool->handlers.preview(context, tx);
  if (preview.ok() && preview->state_digest == call.state_digest) return absl::OkStatus();
  // What could be looked at then and cannot now has changed, too.
  if (!preview.ok() && !GetToolError(preview.status()).has_value()) return preview.status();
  return MakeError(ErrorCode::kConflict,
                   "what this call would do has changed since that was looked at; send it again, without a "
                   "confirmation token, to have it looked at anew");
}

absl::Status ToolRunner::UseConfirmation(const ToolCall& call, storage::Transaction& tx) {
  if (call.confirmation_id.empty()) return absl::OkStatus();
  for (const State from : {State::kPending, State::kApproved}) {
    if (call.decision_needed && from == State::kPending) continue;
    ASSIGN_OR_RETURN(const bool moved,
                     tx.TransitionConfirmation(call.confirmation_id, from, State::kUsed, call.caller.user_id));
    if (moved) return absl::OkStatus();
  }
  ToolError error;
  error.code = ErrorCode::kCancelled;
  error.message = "the confirmation token was used or denied meanwhile; ask for a new one";
  error.refused_as = absl::StatusCode::kFailedPrecondition;
  return ToStatus(error);
}

absl::Status ToolRunner::UseConfirmationBefore(const ToolCall& call) {
  if (call.confirmation_id.empty()) return absl::OkStatus();
  const storage::WriteContext context{call.caller.workspace_id, call.caller.user_id, call.audit_entry_id,
                                      dependencies_.clock.Now()};
  return dependencies_.store.Commit(context, CommitMode::kDurable, call.cancellation,
                                    [&](storage::Transaction& tx) { return UseConfirmation(call, tx); });
}

absl::StatusOr<ToolOutput> ToolRunner::InvokeInTransaction(ToolCall& call, const Planned* planned,
                                                           storage::Transaction& tx, ToolResult& result) {
  PipelineSteps steps(call, dependencies_.clock, dependencies_.ids, dependencies_.run_step);
  ToolContext context = ContextOf(call);
  context.steps = &steps;
  absl::StatusOr<ToolOutput> output = absl::UnknownError("the tool did not run");
  const size_t earlier_steps = call.step_ledger->entries().size();
  const auto invoke = [&] {
    const auto& handler = call.tool->handlers.run;
    if (planned != nullptr) {
      output = CommitPlan(*planned, tx);
    } else if (const auto* plan = std::get_if<PlanHandler>(&handler)) {
      output = CommitPlan((*plan)(context, tx), tx);
    } else if (const auto* read = std::get_if<ReadHandler>(&handler)) {
      output = (*read)(context, tx);
    } else {
      output = std::get<WriteHandler>(handler)(context, tx);
    }
    return output.status();
  };
  const absl::Status status = tx.Nested(invoke, &result.changes);
  if (output.ok() && !status.ok()) output = status;
  if (!output.ok()) {
    call.step_ledger->MarkTakenBack(earlier_steps);
    if (storage::IsFault(output.status())) call.store_fault = output.status();
    if (steps.last_failed()) result.failure_cause = FailureCause::kStep;
    return output;
  }
  // The handler did without the step that the store failed.
  call.store_fault = absl::OkStatus();
  steps.Mark(*output);
  // A definition that says so binds its handler.
  const executors::Annotations& annotations = call.tool->definition.annotations;
  output->reversible &= annotations.reversible || annotations.read_only;
  return output;
}

absl::Status ToolRunner::PushUndo(const ToolCall& call, const ToolOutput& output, storage::Transaction& tx,
                                  ToolResult& result) {
  if (!output.revived_entry_id.empty()) {
    result.undo_entry_id = output.revived_entry_id;
    result.can_undo = true;
    return absl::OkStatus();
  }
  if (result.changes.empty() && output.reversible) return absl::OkStatus();
  storage::UndoEntry entry;
  entry.id = dependencies_.ids.NewId(tx.context().now);
  entry.user_id = call.caller.user_id;
  entry.tool_id = call.tool->definition.id;
  entry.created_at = tx.context().now;
  entry.description = output.description;
  entry.affected_block_ids = result.affected_block_ids;
  entry.reversible = output.reversible;
  entry.undoes_entry_id = output.undoes_entry_id;
  entry.audit_entry_id = call.audit_entry_id;
  // Lent and not copied: they may be long.
  entry.changes = std::move(result.changes);
  const absl::Status pushed = tx.PushUndoEntry(entry);
  result.changes = std::move(entry.changes);
  RETURN_IF_ERROR(pushed);
  if (call.dry_run) {
    result.can_undo = entry.reversible;
    return absl::OkStatus();
  }
  result.undo_entry_id = entry.id;
  result.can_undo = entry.reversible;
  return absl::OkStatus();
}

// Inside an automation: its transaction and its undo entry. The record step keeps an audit entry of its own, of what
// the step itself changed.
absl::StatusOr<ToolResult> ToolRunner::RunStep(ToolCall& call) {
  ToolResult result;
  result.started_at = dependencies_.clock.Now();
  const absl::StatusOr<ToolOutput> output = InvokeInTransaction(call, nullptr, *call.transaction, result);
  RETURN_IF_ERROR(call.store_fault);
  Fill(call, output, result);
  if (output.ok()) RETURN_IF_ERROR(MarkConversation(call, *output, *call.transaction));
  if (result.untrusted) RETURN_IF_ERROR(dependencies_.take_in(call, result));
  // Not cut: later steps' templates look into it, and the automation's own answer is.
  return result;
}

absl::Status ToolRunner::Cap(const ToolCall& call, storage::Transaction* tx, ToolResult& result) {
  if (!dependencies_.result_cap.Exceeds(result)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string kept_id, Keep(call, tx, result));
  dependencies_.result_cap.Cut(result, kept_id);
  return absl::OkStatus();
}

void ToolRunner::Shorten(const ToolCall& call, size_t max_bytes, ToolResult& result) {
  using security::execution_tracking::ResultCap;
  if (result.truncated) return ResultCap::CutFurtherTo(max_bytes, result);
  ResultCap::CutTo(max_bytes, Keep(call, nullptr, result).value_or(""), result);
}

absl::StatusOr<std::string> ToolRunner::Keep(const ToolCall& call, storage::Transaction* tx, ToolResult& result) {
  if (static_cast<int64_t>(result.data_json.size()) > storage::kMaxKeptBytes) return "";
  const absl::Time now = dependencies_.clock.Now();
  storage::KeptResult kept{dependencies_.ids.NewId(now), call.caller.user_id, call.tool->definition.id,
                           std::move(result.data_json),  result.untrusted,    now};
  absl::Status status;
  if (tx != nullptr) {
    status = tx->KeepResult(kept);
  } else {
    const storage::WriteContext context{call.caller.workspace_id, call.caller.user_id, call.audit_entry_id, now};
    status = dependencies_.store.Commit(context, CommitMode::kDurable, call.cancellation,
                                        [&](storage::Transaction& own) { return own.KeepResult(kept); });
  }
  result.data_json = std::move(kept.data_json);
  if (status.ok()) return std::move(kept.id);
  if (tx != nullptr) return status;
  return "";
}

void ToolRunner::Fill(const ToolCall& call, const absl::StatusOr<ToolOutput>& output, ToolResult& result) {
  result.ended_at = dependencies_.clock.Now();
  result.dry_run = call.dry_run;
  result.audit_entry_id = call.audit_entry_id;
  result.success = output.ok();
  if (!output.ok()) {
    result.error = dependencies_.safe_error(output.status(), call);
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

void ToolRunner::EndAudit(const ToolCall& call, const ToolResult& result, v1::AuditEntry& entry) const {
  EndAuditEntry(call,
                {.result = &result,
                 .error = result.error.has_value() ? &*result.error : nullptr,
                 .time = dependencies_.clock.Now(),
                 .duration = dependencies_.clock.Monotonic() - call.arrived_monotonic},
                dependencies_.mask, entry);
}

}  // namespace toolgate::services::pipeline
