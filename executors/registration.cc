#include "executors/registration.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/embedded_file.h"
#include "common/status_macros.h"
#include "executors/links/link_tools.h"
#include "executors/links/links_definitions.h"
#include "executors/sql/db_query.h"
#include "executors/sql/sql_definitions.h"
#include "executors/sql/sql_tools.h"
#include "executors/undo/undo_definitions.h"
#include "executors/workspace/workspace_definitions.h"
#include "executors/workspace/workspace_tools.h"

namespace toolgate::executors {
namespace {

using Traits = absl::flat_hash_map<std::string, workspace::ToolTraits>;

absl::Status AddDefinitions(const std::vector<EmbeddedFile>& files, std::vector<ToolDefinition>& definitions) {
  for (const EmbeddedFile& file : files) {
    ASSIGN_OR_RETURN(ToolDefinition definition, ParseToolDefinition(file.path, file.text));
    definitions.push_back(std::move(definition));
  }
  return absl::OkStatus();
}

void AddHandlers(std::vector<ToolHandlers> rows, std::vector<ToolHandlers>& handlers) {
  for (ToolHandlers& row : rows) handlers.push_back(std::move(row));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Catalog>> BuiltInCatalog(const RegistrationOptions& options) {
  std::vector<ToolDefinition> definitions;
  RETURN_IF_ERROR(AddDefinitions(workspace::DefinitionFiles(), definitions));
  RETURN_IF_ERROR(AddDefinitions(links::DefinitionFiles(), definitions));
  RETURN_IF_ERROR(AddDefinitions(sql::DefinitionFiles(), definitions));
  RETURN_IF_ERROR(AddDefinitions(undo::DefinitionFiles(), definitions));

  const auto traits = std::make_shared<Traits>();
  for (const ToolDefinition& definition : definitions) {
    const workspace::ToolTraits of_tool{definition.annotations.read_only, definition.annotations.reversible};
    for (const std::string& id : {definition.id, AliasOf(definition.id)}) traits->emplace(id, of_tool);
  }
  const auto traits_of = [traits](std::string_view id) {
    const auto found = traits->find(ToAbsl(id));
    return found == traits->end() ? workspace::ToolTraits() : found->second;
  };

  std::vector<ToolHandlers> handlers;
  AddHandlers(workspace::WorkspaceHandlers({options.critical_fields, traits_of}), handlers);
  AddHandlers(links::LinkHandlers(), handlers);
  // A statement takes real time, whatever clock the service is shown.
  const auto sql_engine = std::make_shared<const sql::Engine>(options.sql, Clock::Real());
  AddHandlers(sql::SqlHandlers(sql_engine), handlers);
  handlers.push_back(
      undo::UndoTool(options.may_use_tool, {{std::string(sql::kSqlEffect), sql::SqlReverser(sql_engine)}}));

  return Catalog::Create(std::move(definitions), std::move(handlers));
}

}  // namespace toolgate::executors
