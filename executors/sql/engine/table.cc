#include "executors/sql/engine/table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/sql/engine/record.h"
#include "executors/sql/engine/sql_error.h"

namespace toolgate::executors::sql::engine {
namespace {

// The columns of PRAGMA table_xinfo.
struct Column {
  std::string name;
  int key = 0;  // From 1 on in the order of the primary key; 0 if not part of it.
  bool computed = false;
};

absl::StatusOr<std::vector<Column>> Columns(Database& database, std::string_view table) {
  ASSIGN_OR_RETURN(const Prepared info,
                   database.Prepare(absl::StrCat("PRAGMA main.table_xinfo(", QuoteName(table), ")")));
  std::vector<Column> columns;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, database.Step(info.get()));
    if (!row) return columns;
    const int hidden = sqlite3_column_int(info.get(), 6);
    columns.push_back({std::string(ColumnText(info.get(), 1)), sqlite3_column_int(info.get(), 5), hidden >= 2});
  }
}

// True if the table is one WITHOUT ROWID; nothing if there is no such table.
absl::StatusOr<std::optional<bool>> FindWithoutRowid(Database& database, std::string_view table) {
  ASSIGN_OR_RETURN(const Prepared list,
                   database.Prepare(absl::StrCat("PRAGMA main.table_list(", QuoteName(table), ")")));
  while (true) {
    ASSIGN_OR_RETURN(const bool row, database.Step(list.get()));
    if (!row) return std::optional<bool>();
    if (ColumnText(list.get(), 0) == "main" && ColumnText(list.get(), 2) == "table") {
      return std::optional<bool>(sqlite3_column_int(list.get(), 4) != 0);
    }
  }
}

absl::StatusOr<std::string> SqlOf(Database& database, const std::string& table) {
  ASSIGN_OR_RETURN(const Prepared find,
                   database.Prepare("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?"));
  sqlite3_bind_text64(find.get(), 1, table.data(), table.size(), SQLITE_STATIC, SQLITE_UTF8);
  RETURN_IF_ERROR(database.Step(find.get()).status());
  return std::string(ColumnText(find.get(), 0));
}

// The first name of the rowid that is not also a column's; empty if there is none.
std::string_view RowidName(const std::vector<Column>& columns) {
  for (const std::string_view name : {"rowid", "_rowid_", "oid"}) {
    const bool taken = std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
      return absl::EqualsIgnoreCase(column.name, ToAbsl(name));
    });
    if (!taken) return name;
  }
  return "";
}

void AddKeyColumns(const std::vector<Column>& columns, TableShape& shape) {
  for (int place = 1;; ++place) {
    const auto column = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.key == place; });
    if (column == columns.end()) return;
    const auto field = std::find(shape.fields.begin(), shape.fields.end(), QuoteName(column->name));
    shape.key.push_back(static_cast<int>(field - shape.fields.begin()));
    shape.key_columns.push_back(static_cast<int>(column - columns.begin()));
  }
}

}  // namespace

absl::StatusOr<std::optional<TableShape>> FindTable(Database& database, std::string_view name) {
  ASSIGN_OR_RETURN(const std::optional<bool> without_rowid, FindWithoutRowid(database, name));
  if (!without_rowid.has_value()) return std::optional<TableShape>();
  ASSIGN_OR_RETURN(const std::vector<Column> columns, Columns(database, name));
  TableShape shape;
  shape.name = name;
  ASSIGN_OR_RETURN(shape.sql, SqlOf(database, shape.name));
  shape.without_rowid = *without_rowid;
  if (!shape.without_rowid) {
    const std::string_view rowid = RowidName(columns);
    if (rowid.empty()) {
      return InvalidSql(absl::StrCat("the table \"", ToAbsl(name),
                                     "\" has columns named rowid, _rowid_ and oid, all three names of SQLite's own row "
                                     "number; name one of them otherwise, or make the table WITHOUT ROWID"));
    }
    shape.fields.emplace_back(rowid);
    shape.key.push_back(0);
  }
  for (const Column& column : columns) {
    if (!column.computed) shape.fields.push_back(QuoteName(column.name));
    shape.computed_columns |= column.computed;
  }
  if (shape.without_rowid) AddKeyColumns(columns, shape);
  return std::optional<TableShape>(std::move(shape));
}

std::string Table::KeyCondition() const {
  return absl::StrJoin(shape_.key, " AND ",
                       [&](std::string* text, int field) { absl::StrAppend(text, shape_.fields[field], " = ?"); });
}

absl::StatusOr<sqlite3_stmt*> Table::Use(Prepared& statement, absl::FunctionRef<std::string()> sql,
                                         std::string_view record) {
  if (statement == nullptr) {
    ASSIGN_OR_RETURN(statement, database_.Prepare(sql()));
  }
  sqlite3_reset(statement.get());
  ASSIGN_OR_RETURN(const std::vector<std::string_view> values, SplitRecord(record));
  if (static_cast<int>(values.size()) != sqlite3_bind_parameter_count(statement.get())) {
    return absl::DataLossError("a stored row of a private database has another number of columns than its table");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    RETURN_IF_ERROR(BindValue(statement.get(), static_cast<int>(i) + 1, values[i]));
  }
  return statement.get();
}

absl::StatusOr<std::optional<std::string>> Table::Find(std::string_view key) {
  const auto sql = [&] {
    return absl::StrCat("SELECT ", absl::StrJoin(shape_.fields, ", "), " FROM main.", QuoteName(shape_.name), " WHERE ",
                        KeyCondition());
  };
  ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Use(find_, sql, key));
  ASSIGN_OR_RETURN(const bool row, database_.Step(statement));
  std::optional<std::string> found;
  if (row) found = RowRecord(statement, 0, static_cast<int>(shape_.fields.size()));
  sqlite3_reset(statement);
  return found;
}

absl::Status Table::ForEach(absl::FunctionRef<absl::Status(std::string)> each) {
  const std::string order = absl::StrJoin(
      shape_.key, ", ", [&](std::string* text, int field) { absl::StrAppend(text, shape_.fields[field]); });
  ASSIGN_OR_RETURN(const Prepared all,
                   database_.Prepare(absl::StrCat("SELECT ", absl::StrJoin(shape_.fields, ", "), " FROM main.",
                                                  QuoteName(shape_.name), " ORDER BY ", order)));
  while (true) {
    ASSIGN_OR_RETURN(const bool row, database_.Step(all.get()));
    if (!row) return absl::OkStatus();
    RETURN_IF_ERROR(each(RowRecord(all.get(), 0, static_cast<int>(shape_.fields.size()))));
  }
}

absl::Status Table::Delete(std::string_view key) {
  const auto sql = [&] { return absl::StrCat("DELETE FROM main.", QuoteName(shape_.name), " WHERE ", KeyCondition()); };
  ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Use(delete_, sql, key));
  absl::Status status = database_.Step(statement).status();
  sqlite3_reset(statement);
  return status;
}

absl::StatusOr<bool> Table::Insert(std::string_view row) {
  // The table's own conflict clauses, which may replace other rows, must not take effect.
  const auto sql = [&] {
    return absl::StrCat("INSERT OR ABORT INTO main.", QuoteName(shape_.name), " (", absl::StrJoin(shape_.fields, ", "),
                        ") VALUES (",
                        absl::StrJoin(std::vector<std::string_view>(shape_.fields.size(), "?"), ", ",
                                      [](std::string* text, std::string_view) { text->push_back('?'); }),
                        ")");
  };
  ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Use(insert_, sql, row));
  const int result = sqlite3_step(statement);
  const bool refused = (result & 0xff) == SQLITE_CONSTRAINT || (result & 0xff) == SQLITE_MISMATCH;
  const absl::Status status = result == SQLITE_DONE || refused ? absl::OkStatus() : InternalFailure(database_, result);
  sqlite3_reset(statement);
  if (!status.ok()) return status;
  return !refused;
}

absl::StatusOr<std::string> Table::KeyOf(std::string_view row) const {
  ASSIGN_OR_RETURN(const std::vector<std::string_view> values, SplitRecord(row));
  std::string key;
  for (const int field : shape_.key) {
    if (static_cast<size_t>(field) >= values.size()) return absl::DataLossError("a stored row lacks its key");
    key.append(values[field]);
  }
  return key;
}

std::string Table::ShowKey(std::string_view key) const {
  const absl::StatusOr<std::vector<std::string_view>> values = SplitRecord(key);
  if (!values.ok()) return "a row";
  if (!shape_.without_rowid && values->size() == 1) return absl::StrCat("row ", ShowValue((*values)[0]));
  return absl::StrCat(
      "the row with the key (",
      absl::StrJoin(*values, ", ", [](std::string* text, std::string_view value) { text->append(ShowValue(value)); }),
      ")");
}

}  // namespace toolgate::executors::sql::engine
