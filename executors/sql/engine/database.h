#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_DATABASE_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_DATABASE_H_

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "executors/sql/engine/page_file.h"
#include "executors/sql/engine/page_vfs.h"
#include "executors/sql/engine/sql_limits.h"
#include "executors/sql/engine/statement_guard.h"

namespace toolgate::executors::sql::engine {

// Ends a prepared statement.
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

// A connection to a private database, hardened: no other files, no extensions, tight limits, a limited size, and
// regular checks of `guard`. A separately attached Authorizer decides what a caller's statement may touch. Used by one
// thread, within a SqliteBudget.
class Database {
 public:
  // All borrowed arguments must outlive it. `now` is the current time for SQL functions.
  static absl::StatusOr<std::unique_ptr<Database>> Open(PageFile& file, const SqlLimits& limits, StatementGuard& guard,
                                                        absl::Time now);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  sqlite3* handle() const { return handle_; }
  PageFile& file() { return vfs_.file(); }
  StatementGuard& guard() { return guard_; }
  const SqlLimits& limits() const { return limits_; }

  // For our own SQL, which is correct: only the store, the guard or a limit can make it fail.
  absl::Status Execute(const std::string& sql);
  absl::StatusOr<Prepared> Prepare(std::string_view sql);
  // True: a row is available.
  absl::StatusOr<bool> Step(sqlite3_stmt* statement);

 private:
  Database(PageFile& file, const SqlLimits& limits, StatementGuard& guard, absl::Time now)
      : limits_(limits), guard_(guard), vfs_(file, now) {}
  absl::Status Configure();

  const SqlLimits limits_;
  StatementGuard& guard_;
  PageVfs vfs_;
  sqlite3* handle_ = nullptr;
};

// `name` as an SQL identifier.
std::string QuoteName(std::string_view name);

// Valid until the next step.
std::string_view ColumnText(sqlite3_stmt* statement, int column);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_DATABASE_H_
