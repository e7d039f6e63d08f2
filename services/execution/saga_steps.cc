#include "services/execution/saga_steps.h"

#include <optional>
#include <utility>

#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/execution/step_call.h"
#include "services/execution/step_reversal.h"
#include "storage/undo_bound.h"

namespace toolgate::services::execution {
namespace {

using executors::KeptStep;
using security::ToolCall;
using security::ToolResult;
using storage::SettledStep;

// Reason not even to try to take a step back; OK if there is none.
absl::Status WhyKept(const SettledStep& step) {
  if (!step.is_known) {
    return MakeError(ErrorCode::kCannotUndo,
                     "the service stopped while it ran, and it is not known whether it took effect");
  }
  return step.reversible ? absl::OkStatus()
                         : MakeError(ErrorCode::kCannotUndo, "it has effects that cannot be taken back");
}

}  // namespace

absl::StatusOr<executors::StepResult> SagaSteps::RunStep(int64_t number, const executors::Step& given) {
  ToolCall step;
  FillStepCall(environment_, parent_, given, step);
  step.step_of = security::StepOf{.call_id = parent_.id,
                                  .approved_as_a_whole = given.is_shown && parent_.approved(),
                                  .claim_id = parent_.audit_entry_id,
                                  .claim_attempt = parent_.claim_attempt,
                                  .number = number};
  last_claim_id_ = step.audit_entry_id;
  absl::StatusOr<ToolResult> ran = environment_.pipeline.RunCall(step);
  last_failed_ = !ran.ok() || !ran->success;
  ASSIGN_OR_RETURN(ToolResult result, std::move(ran));
  parent_.state.conversation_untrusted |= step.state.conversation_untrusted;
  if (!result.success) return ToStatus(result.error.value_or(ToolError{}));
  undo_bytes_ += storage::UndoBytes(result.changes);
  if (undo_bytes_ > storage::kMaxUndoBytes) return storage::TooMuchToUndo(storage::kMaxUndoBytes);
  return executors::StepResult{std::move(result.data_json), result.reversible, result.untrusted};
}

absl::StatusOr<std::vector<KeptStep>> SagaSteps::TakeBack() {
  if (parent_.dry_run) return std::vector<KeptStep>();
  absl::StatusOr<std::vector<KeptStep>> kept = TakeBackAll();
  if (!kept.ok()) fault_ = kept.status();
  return kept;
}

absl::StatusOr<std::vector<KeptStep>> SagaSteps::TakeBackAll() {
  ASSIGN_OR_RETURN(const std::vector<SettledStep> settled, ListSettled());
  const StepReversal reversal(environment_, parent_);
  std::vector<KeptStep> kept;
  for (auto step = settled.rbegin(); step != settled.rend(); ++step) {
    absl::Status why = WhyKept(*step);
    if (why.ok()) why = reversal.TakeBack(*step);
    if (why.ok()) continue;
    if (!GetToolError(why).has_value()) return why;
    kept.push_back({step->number, step->tool_id, step->is_known, std::move(why)});
  }
  return kept;
}

absl::StatusOr<std::vector<SettledStep>> SagaSteps::ListSettled() {
  std::vector<SettledStep> settled;
  const fibers::Cancellation time(environment_.clock, environment_.clock.Monotonic() + kStepReversalTime);
  const Caller& caller = parent_.caller;
  const storage::ReadPatience patience{.cancellation = &time, .party = {caller.workspace_id, caller.user_id}};
  RETURN_IF_ERROR(environment_.store.Read(caller.workspace_id, patience, [&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(const std::optional<storage::Claim> open, view.FindClaim(last_claim_id_));
    if (open.has_value()) return absl::UnavailableError("a step could not be settled, and is left to recovery");
    ASSIGN_OR_RETURN(settled, view.ListSettledSteps(parent_.audit_entry_id));
    return absl::OkStatus();
  }));
  return settled;
}

}  // namespace toolgate::services::execution
