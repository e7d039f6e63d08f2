#ifndef TOOLGATE_EXECUTORS_SQL_CALLER_STATEMENT_H_
#define TOOLGATE_EXECUTORS_SQL_CALLER_STATEMENT_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/authorizer.h"
#include "executors/sql/database.h"

namespace toolgate::executors::sql {

// Compiles `sql` as a caller wrote it: exactly one statement without parameters, every part of which `authorizer`,
// which is attached to `database`, allows. INVALID_PARAMS, FORBIDDEN, or what stopped it otherwise.
absl::StatusOr<Prepared> CompileCallerStatement(Database& database, Authorizer& authorizer, std::string_view sql);

// A step of such a statement: true when a row stands ready.
absl::StatusOr<bool> StepCallerStatement(Database& database, const Authorizer& authorizer, sqlite3_stmt* statement);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_CALLER_STATEMENT_H_
