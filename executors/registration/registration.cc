#include "executors/registration/registration.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/embedded_file.h"
#include "common/status_macros.h"
#include "executors/calendar/calendar_definitions.h"
#include "executors/calendar/calendar_tools.h"
#include "executors/journal/journal_definitions.h"
#include "executors/journal/journal_tools.h"
#include "executors/kanban/kanban_definitions.h"
#include "executors/kanban/kanban_tools.h"
#include "executors/links/link_tools.h"
#include "executors/links/links_definitions.h"
#include "executors/memory/memory_definitions.h"
#include "executors/memory/memory_tools.h"
#include "executors/notes/notes_definitions.h"
#include "executors/notes/notes_tools.h"
#include "executors/overview/overview_definitions.h"
#include "executors/overview/overview_tools.h"
#include "executors/results/read_result.h"
#include "executors/results/results_definitions.h"
#include "executors/sql/db_query.h"
#include "executors/sql/sql_definitions.h"
#include "executors/sql/sql_tools.h"
#include "executors/undo/undo_definitions.h"
#include "executors/workspace/workspace_definitions.h"
#include "executors/workspace/workspace_tools.h"

namespace toolgate::executors::registration {
namespace {

// A folder of executors: what its tools are, and what runs them.
struct Family {
  const std::vector<EmbeddedFile>& definitions;
  std::vector<ToolHandlers> handlers;
};

// What an automation must know of the tools that are its steps.
workspace::TraitsOfTool TraitsIn(const std::vector<ToolDefinition>& definitions,
                                 const std::vector<ToolHandlers>& handlers) {
  absl::flat_hash_set<std::string> effects;
  for (const ToolHandlers& row : handlers) {
    if (std::holds_alternative<EffectHandler>(row.run)) effects.emplace(row.id);
  }
  absl::flat_hash_map<std::string, workspace::ToolTraits> traits;
  for (const ToolDefinition& definition : definitions) {
    const workspace::ToolTraits of_tool{definition.annotations.read_only, definition.annotations.reversible,
                                        effects.contains(definition.id)};
    for (const std::string& id : {definition.id, AliasOf(definition.id)}) traits.emplace(id, of_tool);
  }
  return [traits = std::move(traits)](std::string_view id) {
    const auto found = traits.find(ToAbsl(id));
    return found == traits.end() ? workspace::ToolTraits() : found->second;
  };
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Catalog>> BuiltInCatalog(const RegistrationOptions& options) {
  // A statement takes real time, whatever clock the service is shown.
  const auto sql_engine = std::make_shared<const sql::Engine>(options.sql, Clock::Real());
  // Filled in below, when all definitions are known.
  const auto traits = std::make_shared<workspace::TraitsOfTool>();
  const auto traits_of = [traits](std::string_view id) { return (*traits)(id); };
  std::vector<ToolHandlers> undo_handlers;
  undo_handlers.push_back(
      undo::UndoTool(options.may_use_tool, {{std::string(sql::kSqlEffect), sql::SqlReverser(sql_engine)}}));

  Family families[] = {
      {workspace::DefinitionFiles(), workspace::WorkspaceHandlers({options.critical_fields, traits_of})},
      {calendar::DefinitionFiles(), calendar::CalendarHandlers()},
      {kanban::DefinitionFiles(), kanban::KanbanHandlers()},
      {notes::DefinitionFiles(), notes::NotesHandlers()},
      {journal::DefinitionFiles(), journal::JournalHandlers()},
      {links::DefinitionFiles(), links::LinkHandlers()},
      {overview::DefinitionFiles(), overview::OverviewHandlers()},
      {memory::DefinitionFiles(), memory::MemoryHandlers()},
      {sql::DefinitionFiles(), sql::SqlHandlers(sql_engine)},
      {undo::DefinitionFiles(), std::move(undo_handlers)},
      {results::DefinitionFiles(), {results::ReadResultTool(options.may_use_tool, options.is_tool_on)}},
  };
  const std::vector<ToolSwitch> switches = {memory::MemorySwitch()};

  std::vector<ToolDefinition> definitions;
  std::vector<ToolHandlers> handlers;
  for (Family& family : families) {
    for (const EmbeddedFile& file : family.definitions) {
      ASSIGN_OR_RETURN(ToolDefinition definition, ParseToolDefinition(file.path, file.text));
      definitions.push_back(std::move(definition));
    }
    for (ToolHandlers& row : family.handlers) handlers.push_back(std::move(row));
  }
  *traits = TraitsIn(definitions, handlers);
  return Catalog::Create(std::move(definitions), handlers, switches);
}

}  // namespace toolgate::executors::registration
