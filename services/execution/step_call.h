// The call that a step of an automation is.
#ifndef TOOLGATE_SERVICES_EXECUTION_STEP_CALL_H_
#define TOOLGATE_SERVICES_EXECUTION_STEP_CALL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"

namespace toolgate::services::execution {

// Makes `step`, a fresh call, one like `given` on behalf of `parent`, which has the same deadline. The caller sets its
// place in the automation.
void FillStepCall(const Environment& environment, const security::ToolCall& parent, const executors::Step& given,
                  security::ToolCall& step);

// CONFLICT when a person approved `step` with its automation, by the definitions of its tools, and the step does what
// cannot be taken back, against its tool's definition.
absl::Status CheckApproved(const security::ToolCall& step, bool reversible);
// The same of a step that has not settled; OK when it failed.
absl::Status CheckApproved(const security::ToolCall& step, const absl::StatusOr<executors::ToolOutput>& output);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_STEP_CALL_H_
