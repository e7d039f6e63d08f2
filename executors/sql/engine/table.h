#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_TABLE_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_TABLE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/engine/database.h"

namespace toolgate::executors::sql::engine {

// Storage layout of one table.
struct TableShape {
  std::string name;
  std::string sql;  // The CREATE statement.
  bool without_rowid = false;
  // Fields of a row's record, by their SQL names: first the rowid if there is one, then every stored, not computed
  // column.
  std::vector<std::string> fields;
  // Positions in `fields` of the row's key: the rowid, or the columns of the primary key.
  std::vector<int> key;
  // Positions of the key among all columns of the table, including computed ones. Empty if there is a rowid.
  std::vector<int> key_columns;
  bool computed_columns = false;

  bool operator==(const TableShape&) const = default;
};

// Nothing if there is no such table. INVALID_PARAMS if its rowid has no name because columns took all three.
absl::StatusOr<std::optional<TableShape>> FindTable(Database& database, std::string_view name);

// Reads and writes rows of one table as records (see record.h). Statements are compiled on first use. `database` must
// outlive it.
class Table {
 public:
  Table(Database& database, TableShape shape) : database_(database), shape_(std::move(shape)) {}

  const TableShape& shape() const { return shape_; }
  // The record of the row with this key, itself a record; nothing if there is none. The row's own key may differ from
  // it if the table treats them as equal.
  absl::StatusOr<std::optional<std::string>> Find(std::string_view key);
  // Every row, ordered by key, until `each` fails.
  absl::Status ForEach(absl::FunctionRef<absl::Status(std::string)> each);
  // Deletes the row that Find returns for `key`.
  absl::Status Delete(std::string_view key);
  // False: a constraint prevents it.
  absl::StatusOr<bool> Insert(std::string_view row);
  absl::StatusOr<std::string> KeyOf(std::string_view row) const;
  // "row 12", or "row with the key ('a', 2)".
  std::string ShowKey(std::string_view key) const;

 private:
  absl::StatusOr<sqlite3_stmt*> Use(Prepared& statement, absl::FunctionRef<std::string()> sql, std::string_view record);
  std::string KeyCondition() const;

  Database& database_;
  const TableShape shape_;
  Prepared find_;
  Prepared delete_;
  Prepared insert_;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_TABLE_H_
