#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_TABLE_CONTENT_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_TABLE_CONTENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/engine/database.h"
#include "executors/sql/engine/table.h"

namespace toolgate::executors::sql::engine {

// All rows of a table, in memory.
struct TableContent {
  TableShape shape;
  std::vector<std::string> rows;  // Records, ordered by key.

  // SHA-256 of fields and rows.
  std::string Hash() const;
};

// NOT_FOUND, without a ToolError, if there is no such table.
absl::StatusOr<TableContent> ReadContent(Database& database, std::string_view table);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_TABLE_CONTENT_H_
