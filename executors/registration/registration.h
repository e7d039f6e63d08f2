// The one list of everything that runs inside this binary.
#ifndef TOOLGATE_EXECUTORS_REGISTRATION_REGISTRATION_H_
#define TOOLGATE_EXECUTORS_REGISTRATION_REGISTRATION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/catalog.h"
#include "executors/sql/sql_limits.h"
#include "executors/undo/undo_tool.h"

namespace toolgate::executors::registration {

// What the configuration says to executors.
struct RegistrationOptions {
  std::vector<std::string> critical_fields;  // See WorkspaceOptions.
  MayUseTool may_use_tool;                   // Unset: everybody may use every tool.
  IsToolOn is_tool_on;                       // Unset: all switches are on.
  sql::SqlLimits sql;                        // The bounds of db_query.
};

// INVALID_ARGUMENT, naming the file or tool, when a definition or the list is wrong.
absl::StatusOr<std::shared_ptr<const Catalog>> BuiltInCatalog(const RegistrationOptions& options = {});

}  // namespace toolgate::executors::registration

#endif  // TOOLGATE_EXECUTORS_REGISTRATION_REGISTRATION_H_
