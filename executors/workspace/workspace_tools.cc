#include "executors/workspace/workspace_tools.h"

#include <variant>

#include "executors/workspace/add_property.h"
#include "executors/workspace/create_block.h"
#include "executors/workspace/create_task.h"
#include "executors/workspace/delete_block.h"
#include "executors/workspace/get_block.h"
#include "executors/workspace/list_tasks.h"
#include "executors/workspace/query_database.h"
#include "executors/workspace/search_workspace.h"
#include "executors/workspace/trigger_automation.h"
#include "executors/workspace/update_block.h"
#include "executors/workspace/update_task_status.h"
#include "executors/workspace/workspace_definitions.h"

namespace toolgate::executors::workspace {
namespace {

std::vector<ToolHandlers> WorkspaceHandlers(const WorkspaceOptions& options) {
  const PreviewHandler preview_update = [fields = options.critical_fields](ToolContext& context,
                                                                           storage::ReadView& view) {
    return PreviewUpdateBlock(fields, context, view);
  };
  return {
      {"add_property", WriteHandler(AddProperty)},
      {"create_block", WriteHandler(CreateBlock)},
      {"create_task", WriteHandler(CreateTask)},
      {.id = "delete_block",
       .run = WriteHandler(DeleteBlock),
       .preview = PreviewDeleteBlock,
       .rehearse = RehearseDeleteBlock},
      {"get_block", ReadHandler(GetBlock)},
      {"list_tasks", ReadHandler(ListTasks)},
      {"query_database", ReadHandler(QueryDatabase)},
      {"search_workspace", ReadHandler(SearchWorkspace)},
      TriggerAutomationTool(options.traits_of),
      {"update_block", WriteHandler(UpdateBlock), preview_update},
      {"update_task_status", WriteHandler(UpdateTaskStatus)},
  };
}

absl::StatusOr<FamilyTools> WorkspaceTools(const FamilyContext& context) {
  const TraitsOfTool traits_of = [find_tool = context.find_tool](std::string_view id) {
    const Tool* const tool = find_tool(id);
    if (tool == nullptr) return ToolTraits();
    return ToolTraits{tool->definition.annotations.read_only, tool->definition.annotations.reversible,
                      std::holds_alternative<EffectHandler>(tool->handlers.run) ||
                          std::holds_alternative<PlanHandler>(tool->handlers.run)};
  };
  return FamilyTools{WorkspaceHandlers({context.critical_fields, traits_of})};
}

}  // namespace

Family WorkspaceFamily() { return {"workspace", &DefinitionFiles(), WorkspaceTools}; }

}  // namespace toolgate::executors::workspace
