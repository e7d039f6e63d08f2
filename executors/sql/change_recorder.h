#ifndef TOOLGATE_EXECUTORS_SQL_CHANGE_RECORDER_H_
#define TOOLGATE_EXECUTORS_SQL_CHANGE_RECORDER_H_

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/database.h"
#include "executors/sql/table.h"

namespace toolgate::executors::sql {

// Notes the keys of the rows that statements touch, in whatever way: by themselves, through triggers, upserts, REPLACE
// or foreign keys. It listens to SQLite's pre-update hook and takes only keys from it: the rows themselves are read
// afterwards from both states, since what the hook tells of tables with computed columns is wrong in SQLite 3.40, and
// it may tell of a key as it was written and not as it is stored. Used by one thread.
class ChangeRecorder {
 public:
  // Listens to `database`, which outlives it, until its end, to statements that are compiled from now on: SQLite
  // empties a whole table without a word where nobody listened then. `before` gives another connection, on the state
  // before, which is asked how tables are stored.
  ChangeRecorder(Database& database, std::function<absl::StatusOr<Database*>()> before, int64_t max_key_bytes);
  ChangeRecorder(const ChangeRecorder&) = delete;
  ChangeRecorder& operator=(const ChangeRecorder&) = delete;
  ~ChangeRecorder();

  struct Touched {
    std::optional<TableShape> shape;  // Nothing for a table that was not there before.
    std::set<std::string> keys;       // Records.
    bool whole = false;               // Keys are not known: any row may have changed.
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
  // Of the row before or after, where there is no rowid.
  void AddPrimaryKey(Touched& touched, int (*value_of)(sqlite3*, int, sqlite3_value**));

  Database& database_;
  const std::function<absl::StatusOr<Database*>()> before_;
  const int64_t max_key_bytes_;
  int64_t key_bytes_ = 0;
  std::map<std::string, Touched> tables_;
  absl::Status status_;
};

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_CHANGE_RECORDER_H_
