#ifndef TOOLGATE_EXECUTORS_SQL_DATABASE_H_
#define TOOLGATE_EXECUTORS_SQL_DATABASE_H_

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "executors/sql/page_file.h"
#include "executors/sql/page_vfs.h"
#include "executors/sql/sql_limits.h"
#include "executors/sql/watch.h"

namespace toolgate::executors::sql {

// Ends a prepared statement.
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

// A connection to a private database, hardened: no file but its own, no extensions, tight limits, a bound on its size,
// and `watch` asked all the time. What a caller's statement may touch is decided by an Authorizer, which is attached
// apart. Used by one thread, within a SqliteBudget.
class Database {
 public:
  // Everything that is borrowed outlives it. `now` is what SQL's functions call now.
  static absl::StatusOr<std::unique_ptr<Database>> Open(PageFile& file, const SqlLimits& limits, Watch& watch,
                                                        absl::Time now);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  sqlite3* handle() const { return handle_; }
  PageFile& file() { return vfs_.file(); }
  Watch& watch() { return watch_; }
  const SqlLimits& limits() const { return limits_; }

  // For SQL of our own, which is right: what fails is the store, the watch or a bound.
  absl::Status Execute(const std::string& sql);
  absl::StatusOr<Prepared> Prepare(std::string_view sql);
  // True: a row stands ready.
  absl::StatusOr<bool> Step(sqlite3_stmt* statement);

 private:
  Database(PageFile& file, const SqlLimits& limits, Watch& watch, absl::Time now)
      : limits_(limits), watch_(watch), vfs_(file, now) {}
  absl::Status Configure();

  const SqlLimits limits_;
  Watch& watch_;
  PageVfs vfs_;
  sqlite3* handle_ = nullptr;
};

// `name` as SQL writes an identifier.
std::string QuoteName(std::string_view name);

// Borrowed until the row is left.
std::string_view ColumnText(sqlite3_stmt* statement, int column);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_DATABASE_H_
