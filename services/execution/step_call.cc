#include "services/execution/step_call.h"

#include "common/tool_error.h"
#include "observability/tracing/trace_recording.h"

namespace toolgate::services::execution {

using security::ToolCall;

void FillStepCall(const Environment& environment, const ToolCall& parent, const executors::Step& given,
                  ToolCall& step) {
  step.tool_id = given.tool_id;
  step.SetArguments(given.arguments);
  step.caller = parent.caller;
  step.request_id = parent.request_id;
  step.dry_run = parent.dry_run;
  step.events = parent.events;
  step.state.place = parent.state.place;
  step.trace = parent.trace;
  step.parent_span_id = parent.trace.span_id;
  step.recording = parent.recording;
  if (step.recording != nullptr) step.trace.span_id = step.recording->NewSpanId();
  step.arrived = environment.clock.Now();
  step.arrived_monotonic = environment.clock.Monotonic();
  step.id = environment.ids.NewId(step.arrived);
  step.audit_entry_id = environment.ids.NewId(step.arrived);
  step.cancellation.Reset(environment.clock, parent.cancellation.deadline());
  step.cancellation.Watch(parent.cancellation);
}

absl::Status CheckApproved(const ToolCall& step, bool reversible) {
  if (reversible || !step.step_of->approved_as_a_whole) return absl::OkStatus();
  if (!step.tool->definition.annotations.reversible) return absl::OkStatus();
  return MakeError(ErrorCode::kConflict,
                   "there is more than undo can keep, and the person who approved the automation was told that it can "
                   "be taken back; run the tool by itself");
}

absl::Status CheckApproved(const ToolCall& step, const absl::StatusOr<executors::ToolOutput>& output) {
  return output.ok() ? CheckApproved(step, output->reversible) : absl::OkStatus();
}

}  // namespace toolgate::services::execution
