// Objects in a private database.
#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_SCHEMA_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_SCHEMA_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/engine/database.h"

namespace toolgate::executors::sql::engine {

// A row of sqlite_schema that a statement made; SQLite's own are left out.
struct SchemaObject {
  std::string type;  // "table", "index", "view" or "trigger".
  std::string name;
  std::string table;  // Table that it belongs to; its own name for a table and a view.
  std::string sql;

  bool operator==(const SchemaObject&) const = default;
};

// Ordered by type and name.
absl::StatusOr<std::vector<SchemaObject>> ReadSchema(Database& database);

// The counters of tables with AUTOINCREMENT, by table.
absl::StatusOr<std::map<std::string, int64_t>> ReadSequences(Database& database);

// Checks rules that no single step of a statement shows: every object has one of this tool's names, which ALTER TABLE
// could change, and every row can be identified. FORBIDDEN or INVALID_PARAMS otherwise.
absl::Status CheckSchema(Database& database);

// A text that is equal for equal databases: the schema, the rows with their exact types, the counters. For tests and
// other comparisons.
absl::StatusOr<std::string> DumpDatabase(Database& database);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_SCHEMA_H_
