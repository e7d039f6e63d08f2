#ifndef TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "executors/workspace/workspace_tools.h"

namespace toolgate::executors::workspace {

// Runs the automation's steps one after the other in this transaction. Templates in a step's arguments may name
// "context" (the argument), "steps" (results of earlier steps), "now" and "today". A step that fails fails the whole.
absl::StatusOr<ToolOutput> TriggerAutomation(ToolContext& context, storage::Transaction& transaction);

// Needs confirmation when a step's tool does more than read, and holds for these steps only. Says so when a step cannot
// be taken back, for then the automation as a whole cannot be undone.
absl::StatusOr<Preview> PreviewTriggerAutomation(const TraitsOfTool& traits_of, ToolContext& context,
                                                 storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
