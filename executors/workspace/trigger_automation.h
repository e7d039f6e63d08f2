#ifndef TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_

#include <functional>
#include <string_view>

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::workspace {

// Runs the automation's steps one after the other in this transaction. Templates in a step's arguments may name
// "context" (the argument), "steps" (results of earlier steps), "now" and "today". A step that fails fails the whole.
absl::StatusOr<ToolOutput> TriggerAutomation(ToolContext& context, storage::Transaction& transaction);

// Needs confirmation when a step's tool does more than read.
absl::StatusOr<Preview> PreviewTriggerAutomation(const std::function<bool(std::string_view)>& is_read_only,
                                                 ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
