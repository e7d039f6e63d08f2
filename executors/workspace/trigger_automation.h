#ifndef TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "executors/workspace/workspace_tools.h"

namespace toolgate::executors::workspace {

// Runs the automation's steps one after the other in this transaction. Templates in a step's arguments may name
// "context" (the argument), "steps" (results of earlier steps), "now" and "today". A failed step fails the automation.
absl::StatusOr<ToolOutput> TriggerAutomation(ToolContext& context, storage::Transaction& transaction);

// Needs confirmation if a step's tool does more than read; the approval is valid for these steps only. The preview says
// if a step cannot be undone, because then the whole automation cannot be undone.
absl::StatusOr<Preview> PreviewTriggerAutomation(const TraitsOfTool& traits_of, ToolContext& context,
                                                 storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
