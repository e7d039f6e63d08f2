#include "services/execution/effect_runner.h"

#include <string>
#include <utility>
#include <vector>

#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/audit/audit_entry.h"
#include "services/execution/claim_session.h"
#include "services/execution/claimed_call.h"
#include "services/execution/saga_steps.h"
#include "services/execution/settlement.h"

namespace toolgate::services::execution {
namespace {

using executors::Acted;
using executors::ToolOutput;
using security::FailureCause;
using security::ToolCall;
using security::ToolResult;
using storage::CommitMode;

// Time to settle a call, independent of its deadline: the effect stands whether the client is still there or not.
constexpr absl::Duration kSettleTime = absl::Seconds(20);

// The tool acted, and the store did not take note of it. A repeat with the key is answered once recovery has settled
// the call; without a key a repeat would act again, so that nothing here may invite one.
ToolError NotSettled(const ToolCall& call) {
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.refused_as = absl::StatusCode::kUnavailable;
  error.retryable = IsKeyed(call);
  error.message =
      error.retryable
          ? "the tool ran, but the store failed before its outcome was recorded; repeat the call with the same "
            "idempotency key to be answered it"
          : "the tool ran, but the store failed before its outcome was recorded; do not repeat the call: the audit log "
            "shows what it came to as soon as the store is back";
  if (error.retryable) error.retry_after = absl::Seconds(5);
  error.facts.emplace_back("auditEntryId", call.audit_entry_id);
  return error;
}

// Output that the client has seen makes the answer one from outside.
absl::StatusOr<Acted> Act(const executors::EffectHandler& handler, executors::ToolContext& context,
                          ClaimSession& session) {
  absl::StatusOr<Acted> acted = handler(context, session);
  if (acted.ok()) acted->output.untrusted |= session.sent_output();
  return acted;
}

// Changes of the steps that have settled and were not taken back.
absl::StatusOr<std::vector<storage::Changes>> ChangesOfSteps(const ToolCall& call, storage::Transaction& tx) {
  ASSIGN_OR_RETURN(std::vector<storage::SettledStep> steps, tx.ListSettledSteps(call.audit_entry_id));
  std::vector<storage::Changes> changes;
  changes.reserve(steps.size());
  for (storage::SettledStep& step : steps) changes.push_back(std::move(step.changes));
  return changes;
}

}  // namespace

absl::StatusOr<ToolResult> EffectRunner::Run(ToolCall& call, const executors::EffectHandler& handler) const {
  const bool changes_nothing = call.dry_run || call.tool->read_only();
  if (call.dry_run || (changes_nothing && !NeedsCommit(call))) return RunUnclaimed(call, handler);
  const RunningClaims::Guard running(running_, {call.audit_entry_id, call.caller.workspace_id, call.caller.user_id});
  ToolResult result;
  result.started_at = environment_.clock.Now();
  ASSIGN_OR_RETURN(std::optional<ToolResult> known, Claim(call));
  if (known.has_value()) {
    if (known->untrusted) RETURN_IF_ERROR(environment_.outside_text.Receive(call, *known));
    return *std::move(known);
  }
  // By the settlement, or by the recovery of a call that gets none.
  call.state.audited = true;
  executors::ToolContext context = ToolContextOf(call, environment_);
  ClaimSession session(environment_, call, /*claimed=*/true);
  SagaSteps steps(environment_, call);
  context.saga = &steps;
  absl::StatusOr<Acted> acted = Act(handler, context, session);
  absl::Status settled = steps.fault();
  if (settled.ok()) {
    const bool step_failed = !acted.ok() && steps.last_failed();
    settled = Settle(call, {std::move(acted), step_failed ? FailureCause::kStep : FailureCause::kTool}, result);
  }
  if (settled.ok()) return result;
  call.state.store_fault = std::move(settled);
  return ToStatus(NotSettled(call));
}

absl::StatusOr<ToolResult> EffectRunner::RunUnclaimed(ToolCall& call, const executors::EffectHandler& handler) const {
  executors::ToolContext context = ToolContextOf(call, environment_);
  ClaimSession session(environment_, call, /*claimed=*/false);
  SagaSteps steps(environment_, call);
  context.saga = &steps;
  ToolResult result;
  result.started_at = environment_.clock.Now();
  const absl::StatusOr<Acted> acted = Act(handler, context, session);
  if (acted.ok() && acted->settle != nullptr) {
    if (!call.dry_run) return absl::InternalError("a read-only tool has something to write");
    RETURN_IF_ERROR(Rehearse(call, *acted, result));
    return result;
  }
  const absl::StatusOr<ToolOutput> output = acted.ok() ? absl::StatusOr<ToolOutput>(acted->output) : acted.status();
  RETURN_IF_ERROR(reads_.Answer(call, output, result));
  return result;
}

absl::Status EffectRunner::Rehearse(ToolCall& call, const Acted& acted, ToolResult& result) const {
  const absl::Time started = result.started_at;
  const bool was_untrusted = call.state.conversation_untrusted;
  v1::AuditEntry unused;
  security::StepLedger no_texts;
  const auto settle = [&](storage::Transaction& tx) {
    result = ToolResult();
    result.started_at = started;
    tx.LimitChanges(storage::kMaxTriedChanges);
    return SettleIn(call, {acted}, {}, no_texts, tx, unused, result);
  };
  RETURN_IF_ERROR(SettlePrepared(acted, [&] {
    return environment_.store.Commit(WriteContextOf(call, environment_), CommitMode::kDryRun, call.cancellation,
                                     settle);
  }));
  call.state.conversation_untrusted = was_untrusted;
  return reads_.Bound(call, result);
}

absl::StatusOr<std::optional<ToolResult>> EffectRunner::Claim(ToolCall& call) const {
  storage::Claim claim;
  claim.id = call.audit_entry_id;
  claim.user_id = call.caller.user_id;
  claim.tool_id = call.tool->definition.id;
  if (IsKeyed(call)) claim.idempotency_key = call.idempotency_key;
  if (call.settles_as_step()) claim.part_of = call.step_of->claim_id;
  const int64_t attempt_of_whole = call.is_step() ? call.step_of->claim_attempt : 0;
  claim.owner = environment_.process_id;
  claim.claimed_at = environment_.clock.Now();
  claim.good_until = ClaimEnd(call, claim.claimed_at);
  ASSIGN_OR_RETURN(claim.call, ToClaimedCall(call));
  std::optional<ToolResult> known;
  RETURN_IF_ERROR(environment_.store.Commit(WriteContextOf(call, environment_), CommitMode::kDurable, call.cancellation,
                                            [&](storage::Transaction& tx) -> absl::Status {
                                              ASSIGN_OR_RETURN(known, frame_.Open(call, tx));
                                              return known.has_value() ? absl::OkStatus()
                                                                       : tx.PutClaim(claim, attempt_of_whole);
                                            }));
  return known;
}

absl::Status EffectRunner::Settle(ToolCall& call, Ending ending, ToolResult& result) const {
  // Before the settlement, which decides about what the tool did and waits for nothing.
  security::StepLedger texts;
  if (ending.acted.ok() && ending.acted->output.untrusted) {
    texts.texts().Find(ending.acted->output.data_json);
    environment_.outside_text.ScanMissing(texts.texts());
  }
  const auto commit = [&] { return CommitSettlement(call, ending, texts, result); };
  absl::Status settled = ending.acted.ok() ? SettlePrepared(*ending.acted, commit) : commit();
  const bool refused = ending.acted.ok() && ending.acted->take_back != nullptr && GetToolError(settled).has_value();
  if (!refused) return settled;
  RETURN_IF_ERROR(ending.acted->take_back());
  ending.acted = std::move(settled);
  return commit();
}

absl::Status EffectRunner::CommitSettlement(ToolCall& call, const Ending& ending, security::StepLedger& texts,
                                            ToolResult& result) const {
  const absl::Time started = result.started_at;
  const std::vector<security::Finding> own_findings = call.state.findings;
  const bool was_untrusted = call.state.conversation_untrusted;
  v1::AuditEntry entry;
  audit::BeginAuditEntry(call, environment_.masker, entry);
  if (!ending.recovery.empty()) entry.set_recovery(std::string(ending.recovery));
  const fibers::Cancellation patience(environment_.clock, environment_.clock.Monotonic() + kSettleTime);
  return environment_.store.Commit(
      WriteContextOf(call, environment_), CommitMode::kDurable, patience,
      [&](storage::Transaction& tx) -> absl::Status {
        // The store may run this more than once.
        result = ToolResult();
        result.started_at = started;
        call.state.findings = own_findings;
        call.state.conversation_untrusted = was_untrusted;
        ASSIGN_OR_RETURN(std::vector<storage::Changes> of_steps, ChangesOfSteps(call, tx));
        ASSIGN_OR_RETURN(const bool held,
                         tx.DropClaim(call.audit_entry_id, {environment_.process_id, call.claim_attempt}));
        if (!held) return storage::NotHeld(call.audit_entry_id);
        if (IsKeyed(call)) {
          RETURN_IF_ERROR(tx.ClaimIdempotencyKey(call.caller.user_id, call.idempotency_key).status());
        }
        if (!ending.is_known && call.settles_as_step()) RETURN_IF_ERROR(PutUnknownStep(call, tx));
        return SettleIn(call, ending, std::move(of_steps), texts, tx, entry, result);
      });
}

absl::Status EffectRunner::PutUnknownStep(const ToolCall& call, storage::Transaction& tx) const {
  storage::SettledStep step;
  step.claim_id = call.step_of->claim_id;
  step.number = call.step_of->number;
  step.audit_entry_id = call.audit_entry_id;
  step.tool_id = call.tool->definition.id;
  step.is_known = false;
  ASSIGN_OR_RETURN(const bool put, tx.PutSettledStep(step, {environment_.process_id, call.step_of->claim_attempt}));
  return put ? absl::OkStatus() : storage::NotHeld(step.claim_id);
}

absl::Status EffectRunner::SettleIn(ToolCall& call, const Ending& ending, std::vector<storage::Changes> of_steps,
                                    security::StepLedger& texts, storage::Transaction& tx, v1::AuditEntry& entry,
                                    ToolResult& result) const {
  const absl::StatusOr<Acted>& acted = ending.acted;
  absl::StatusOr<ToolOutput> output = acted.ok() ? absl::StatusOr<ToolOutput>(acted->output) : acted.status();
  if (acted.ok() && acted->settle != nullptr) {
    RETURN_IF_ERROR(tx.Nested([&] { return acted->settle(tx); }, &result.changes));
  }
  if (!of_steps.empty()) {
    of_steps.push_back(std::move(result.changes));
    result.changes = storage::JoinChanges(std::move(of_steps));
  }
  result.failure_cause = ending.cause;
  if (output.ok()) {
    // A definition that says so binds its handler.
    const executors::Annotations& annotations = call.tool->definition.annotations;
    output->reversible &= annotations.reversible || annotations.read_only;
  }
  return frame_.Close(call, output, texts, tx, entry, result);
}

}  // namespace toolgate::services::execution
