#ifndef TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
#define TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_

#include "executors/tool.h"
#include "executors/workspace/workspace_tools.h"

namespace toolgate::executors::workspace {

// Runs the automation's steps one after the other. Templates in a step's arguments may name "context" (the argument),
// "steps" (results of earlier steps), "now" and "today". A failed step fails the automation, and what the steps before
// it did is taken back; an automation that did not fail is one change, for undo too.
//
// Steps that are reads, writes and plans run in one transaction. An automation with an effect among its steps is a
// saga: each step settles by itself (SagaRunner), a failure takes back the earlier ones, newest first, and the error
// names those that could not be. A dry run of a saga rehearses each step by itself, and leaves out those whose
// arguments contain results of earlier steps.
//
// Needs confirmation if a step's tool does more than read; the approval is valid for these steps only. The preview says
// if a step cannot be undone, because then the whole automation cannot be undone, and if the automation is a saga.
ToolHandlers TriggerAutomationTool(const TraitsOfTool& traits_of);

}  // namespace toolgate::executors::workspace

#endif  // TOOLGATE_EXECUTORS_WORKSPACE_TRIGGER_AUTOMATION_H_
