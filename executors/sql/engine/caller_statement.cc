#include "executors/sql/engine/caller_statement.h"

#include <utility>

#include "common/status_macros.h"
#include "executors/sql/engine/sql_error.h"
#include "simdjson.h"

namespace toolgate::executors::sql::engine {
namespace {

// A refusal is more informative than the error that SQLite makes of it.
absl::Status Failure(Database& database, const Authorizer& authorizer, int result) {
  if (!database.guard().status().ok()) return database.guard().status();
  if (!authorizer.refusal().ok()) return authorizer.refusal();
  return StatementFailure(database, result);
}

// Compiles the first statement of `sql` and removes it from there. OK without a statement: only blanks, comments or an
// empty statement were removed.
int Compile(Database& database, std::string_view& sql, Prepared& statement) {
  sqlite3_stmt* made = nullptr;
  const char* tail = nullptr;
  const int result = sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()), 0, &made, &tail);
  statement.reset(made);
  if (tail != nullptr) sql.remove_prefix(static_cast<size_t>(tail - sql.data()));
  return result;
}

// Skips empty statements and compiles the first other one.
int CompileFirst(Database& database, std::string_view& sql, Prepared& statement) {
  int result = SQLITE_OK;
  while (result == SQLITE_OK && statement == nullptr && !sql.empty()) result = Compile(database, sql, statement);
  return result;
}

}  // namespace

absl::StatusOr<Prepared> CompileCallerStatement(Database& database, Authorizer& authorizer, std::string_view sql) {
  if (sql.find('\0') != std::string_view::npos) return InvalidSql("the statement holds a NUL byte");
  if (!simdjson::validate_utf8(sql.data(), sql.size())) return InvalidSql("the statement is not well-formed UTF-8");
  Prepared statement;
  const int result = CompileFirst(database, sql, statement);
  if (result != SQLITE_OK) return Failure(database, authorizer, result);
  if (statement == nullptr) return InvalidSql("there is no statement: the text is empty or holds only comments");
  RETURN_IF_ERROR(authorizer.refusal());
  Prepared second;
  if (CompileFirst(database, sql, second) != SQLITE_OK || second != nullptr) {
    RETURN_IF_ERROR(database.guard().status());
    return InvalidSql("there is more than one statement; send them one by one");
  }
  if (sqlite3_bind_parameter_count(statement.get()) > 0) {
    return InvalidSql("parameters (?, :name) have no values here; write the values into the statement");
  }
  return statement;
}

absl::StatusOr<bool> StepCallerStatement(Database& database, const Authorizer& authorizer, sqlite3_stmt* statement) {
  const int result = sqlite3_step(statement);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return Failure(database, authorizer, result);
}

}  // namespace toolgate::executors::sql::engine
