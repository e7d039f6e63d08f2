#include "executors/registration.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "common/absl_bridge.h"
#include "common/embedded_file.h"
#include "common/status_macros.h"
#include "executors/undo/undo_definitions.h"
#include "executors/workspace/workspace_definitions.h"
#include "executors/workspace/workspace_tools.h"

namespace toolgate::executors {
namespace {

using ReadOnlyTools = absl::flat_hash_set<std::string>;

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
  RETURN_IF_ERROR(AddDefinitions(undo::DefinitionFiles(), definitions));

  const auto read_only = std::make_shared<ReadOnlyTools>();
  for (const ToolDefinition& definition : definitions) {
    if (!definition.annotations.read_only) continue;
    read_only->insert(definition.id);
    read_only->insert(AliasOf(definition.id));
  }
  const auto is_read_only = [read_only](std::string_view id) { return read_only->contains(ToAbsl(id)); };

  std::vector<ToolHandlers> handlers;
  AddHandlers(workspace::WorkspaceHandlers({options.critical_fields, is_read_only}), handlers);
  handlers.push_back(undo::UndoTool(options.may_use_tool));

  return Catalog::Create(std::move(definitions), std::move(handlers));
}

}  // namespace toolgate::executors
