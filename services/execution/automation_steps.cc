#include "services/execution/automation_steps.h"

#include <utility>

#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/execution/step_call.h"

namespace toolgate::services::execution {
using security::ToolCall;
using security::ToolResult;

void AutomationSteps::Fill(const executors::Step& given, storage::Transaction& transaction, ToolCall& step) const {
  FillStepCall(environment_, parent_, given, step);
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
  parent_.state.store_fault.Update(step.state.store_fault);
  last_failed_ = !ran.ok() || !ran->success;
  ASSIGN_OR_RETURN(ToolResult result, std::move(ran));
  // Text from outside in a step is in the automation's answer as well, and what a step did for good was done by the
  // automation.
  untrusted_ |= result.untrusted;
  reversible_ &= result.reversible;
  parent_.state.conversation_untrusted |= step.state.conversation_untrusted;
  if (!result.success) return ToStatus(result.error.value_or(ToolError{}));
  RETURN_IF_ERROR(CheckApproved(step, result.reversible));
  return executors::StepResult{std::move(result.data_json), result.reversible, result.untrusted};
}

void AutomationSteps::Mark(executors::ToolOutput& output) const {
  output.untrusted |= untrusted_;
  output.reversible &= reversible_;
}

}  // namespace toolgate::services::execution
