#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_CALLER_STATEMENT_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_CALLER_STATEMENT_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/engine/authorizer.h"
#include "executors/sql/engine/database.h"

namespace toolgate::executors::sql::engine {

// Compiles `sql` as a caller wrote it: exactly one statement without parameters, every part of which is allowed by
// `authorizer`, which is attached to `database`. INVALID_PARAMS, FORBIDDEN, or the reason for which it was stopped.
absl::StatusOr<Prepared> CompileCallerStatement(Database& database, Authorizer& authorizer, std::string_view sql);

// Steps such a statement; true if a row is available.
absl::StatusOr<bool> StepCallerStatement(Database& database, const Authorizer& authorizer, sqlite3_stmt* statement);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_CALLER_STATEMENT_H_
