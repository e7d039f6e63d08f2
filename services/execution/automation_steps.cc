#include "services/execution/automation_steps.h"

#include <utility>

#include "common/status_macros.h"
#include "common/tool_error.h"

namespace toolgate::services::execution {
namespace {

using security::ToolCall;
using security::ToolResult;

// The question about an automation goes by the tools' definitions.
absl::Status MoreThanWasApproved() {
  return MakeError(ErrorCode::kConflict,
                   "there is more than undo can keep, and the person who approved the automation was told that it can "
                   "be taken back; run the tool by itself");
}

}  // namespace

void AutomationSteps::Fill(const executors::Step& given, storage::Transaction& transaction, ToolCall& step) const {
  step.tool_id = given.tool_id;
  step.SetArguments(given.arguments);
  step.caller = parent_.caller;
  step.request_id = parent_.request_id;
  step.dry_run = parent_.dry_run;
  step.events = parent_.events;
  step.trace = parent_.trace;
  step.parent_span_id = parent_.trace.span_id;
  step.arrived = environment_.clock.Now();
  step.arrived_monotonic = environment_.clock.Monotonic();
  step.id = environment_.ids.NewId(step.arrived);
  step.audit_entry_id = environment_.ids.NewId(step.arrived);
  step.cancellation.Reset(environment_.clock, parent_.cancellation.deadline());
  step.cancellation.Watch(parent_.cancellation);
  step.step_of = security::StepOf{.call_id = parent_.id,
                                  .transaction = &transaction,
                                  .ledger = &ledger_,
                                  .approved_as_a_whole = given.is_shown && parent_.approved(),
                                  .charged_before = ledger_.Claim(given.tool_id)};
}

absl::StatusOr<executors::StepResult> AutomationSteps::RunStep(const executors::Step& given,
                                                               storage::Transaction& transaction) {
  ToolCall step;
  Fill(given, transaction, step);
  absl::StatusOr<ToolResult> ran = environment_.pipeline.RunCall(step);
  parent_.store_fault.Update(step.store_fault);
  last_failed_ = !ran.ok() || !ran->success;
  ASSIGN_OR_RETURN(ToolResult result, std::move(ran));
  // Text from outside in a step is in the automation's answer as well, and what a step did for good was done by the
  // automation.
  untrusted_ |= result.untrusted;
  reversible_ &= result.reversible;
  parent_.conversation_untrusted |= step.conversation_untrusted;
  if (!result.success) return ToStatus(result.error.value_or(ToolError{}));
  if (step.step_of->approved_as_a_whole && !result.reversible && step.tool->definition.annotations.reversible) {
    return MoreThanWasApproved();
  }
  return executors::StepResult{std::move(result.data_json), result.reversible, result.untrusted};
}

void AutomationSteps::Mark(executors::ToolOutput& output) const {
  output.untrusted |= untrusted_;
  output.reversible &= reversible_;
}

}  // namespace toolgate::services::execution
