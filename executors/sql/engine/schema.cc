#include "executors/sql/engine/schema.h"

#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "executors/sql/engine/sql_error.h"
#include "executors/sql/engine/table.h"

namespace toolgate::executors::sql::engine {

absl::StatusOr<std::vector<SchemaObject>> ReadSchema(Database& database) {
  ASSIGN_OR_RETURN(const Prepared all, database.Prepare("SELECT type, name, tbl_name, sql FROM main.sqlite_schema "
                                                        "WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY type, name"));
  std::vector<SchemaObject> objects;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, database.Step(all.get()));
    if (!row) return objects;
    const auto text = [&](int column) { return std::string(ColumnText(all.get(), column)); };
    objects.push_back({text(0), text(1), text(2), text(3)});
  }
}

absl::StatusOr<std::map<std::string, int64_t>> ReadSequences(Database& database) {
  std::map<std::string, int64_t> sequences;
  ASSIGN_OR_RETURN(const Prepared exists,
                   database.Prepare("SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'"));
  ASSIGN_OR_RETURN(bool row, database.Step(exists.get()));
  if (!row) return sequences;
  ASSIGN_OR_RETURN(const Prepared all, database.Prepare("SELECT name, seq FROM main.sqlite_sequence"));
  while (true) {
    ASSIGN_OR_RETURN(row, database.Step(all.get()));
    if (!row) return sequences;
    sequences[std::string(ColumnText(all.get(), 0))] = sqlite3_column_int64(all.get(), 1);
  }
}

absl::Status CheckSchema(Database& database) {
  ASSIGN_OR_RETURN(const std::vector<SchemaObject> objects, ReadSchema(database));
  for (const SchemaObject& object : objects) {
    if (!IsOwnName(object.name)) return NotForThisTool(absl::StrCat("the ", object.type, " \"", object.name, "\""));
    if (object.type == "table") RETURN_IF_ERROR(FindTable(database, object.name).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> DumpDatabase(Database& database) {
  std::string text;
  ASSIGN_OR_RETURN(const std::vector<SchemaObject> objects, ReadSchema(database));
  for (const SchemaObject& object : objects) {
    absl::StrAppend(&text, object.type, " ", object.name, " on ", object.table, ": ", object.sql, "\n");
    if (object.type != "table") continue;
    ASSIGN_OR_RETURN(std::optional<TableShape> shape, FindTable(database, object.name));
    if (!shape.has_value()) continue;
    Table table(database, *std::move(shape));
    RETURN_IF_ERROR(table.ForEach([&](const std::string& row) {
      absl::StrAppend(&text, "  ", absl::CHexEscape(row), "\n");
      return absl::OkStatus();
    }));
  }
  ASSIGN_OR_RETURN(const auto sequences, ReadSequences(database));
  for (const auto& [name, value] : sequences) absl::StrAppend(&text, "sequence ", name, ": ", value, "\n");
  return text;
}

}  // namespace toolgate::executors::sql::engine
