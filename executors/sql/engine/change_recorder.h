#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_RECORDER_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_RECORDER_H_

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/engine/database.h"
#include "executors/sql/engine/table.h"

namespace toolgate::executors::sql::engine {

// Notes the keys of the rows that statements touch in any way: directly, through triggers, upserts, REPLACE or foreign
// keys. It takes only keys from SQLite's pre-update hook: the rows themselves are read afterwards from both states,
// because in SQLite 3.40 the hook gives wrong values for tables with computed columns, and it may give a key as it was
// written instead of as it is stored. Used by one thread.
class ChangeRecorder {
 public:
  // Listens to `database`, which must outlive it, until its own end, for statements that are compiled from now on:
  // without a listener, SQLite empties a whole table without calling the hook. `before` returns another connection, on
  // the state before, which tells how tables are stored.
  ChangeRecorder(Database& database, std::function<absl::StatusOr<Database*>()> before, int64_t max_key_bytes);
  ChangeRecorder(const ChangeRecorder&) = delete;
  ChangeRecorder& operator=(const ChangeRecorder&) = delete;
  ~ChangeRecorder();

  struct Touched {
    std::optional<TableShape> shape;  // Nothing for a table that did not exist before.
    std::set<std::string> keys;       // Records.
    bool whole = false;               // Keys are unknown: any row may have changed.
  };
  // By name of the table.
  const std::map<std::string, Touched>& tables() const { return tables_; }
  // OK, or why something was not noted.
  const absl::Status& status() const { return status_; }

 private:
  static void OnChange(void* self, sqlite3* db, int operation, const char* database, const char* table,
                       sqlite3_int64 old_rowid, sqlite3_int64 new_rowid);
  Touched& Find(const char* table);
  absl::StatusOr<std::optional<TableShape>> ShapeOf(const char* table) const;
  void Note(Touched& touched, int operation, int64_t old_rowid, int64_t new_rowid);
  void AddKey(Touched& touched, std::string key);
  // Reads the key of the row before or after, for tables without a rowid.
  void AddPrimaryKey(Touched& touched, int (*value_of)(sqlite3*, int, sqlite3_value**));

  Database& database_;
  const std::function<absl::StatusOr<Database*>()> before_;
  const int64_t max_key_bytes_;
  int64_t key_bytes_ = 0;
  std::map<std::string, Touched> tables_;
  absl::Status status_;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_RECORDER_H_
