// Taking a change back.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/sql/engine/change.h"
#include "executors/sql/engine/record.h"
#include "executors/sql/engine/schema.h"
#include "executors/sql/engine/sql_error.h"
#include "executors/sql/engine/table.h"
#include "executors/sql/engine/table_content.h"

namespace toolgate::executors::sql::engine {
namespace {

using internal::v1::SqlChange;
using internal::v1::SqlRowChange;
using internal::v1::SqlSchemaObject;
using internal::v1::SqlSequence;
using internal::v1::SqlTableRows;

absl::Status Conflict(std::string_view table, std::string_view what) {
  ToolError error;
  error.code = ErrorCode::kConflict;
  error.message = absl::StrCat(ToAbsl(what), "; nothing was undone");
  if (!table.empty()) error.facts.emplace_back("table", table);
  return ToStatus(error);
}

class Inverter {
 public:
  Inverter(Database& database, const SqlChange& change) : database_(database), change_(change) {}

  absl::Status Run();

 private:
  absl::Status CheckRows();
  absl::Status CheckRow(Table& table, const SqlRowChange& row);
  absl::Status CheckObjects();
  absl::Status CheckObjectAfter(const SqlSchemaObject& object, const std::vector<SchemaObject>& present);
  absl::Status CheckDependents(const SqlSchemaObject& owner, const std::vector<SchemaObject>& present);
  absl::Status DropObjects();
  absl::Status MakeObjects();
  absl::Status Make(const SqlSchemaObject& object);
  absl::Status FillTable(const SqlSchemaObject& table);
  absl::Status PutRowsBack();
  absl::Status PutSequencesBack();
  absl::Status SetSequence(const char* sql, const std::string& table, int64_t value = 0);
  absl::Status CheckForeignKeys(const std::set<std::string>& known);
  absl::StatusOr<std::set<std::string>> BrokenReferences();

  Database& database_;
  const SqlChange& change_;
  std::vector<Table> tables_;                     // In the order of change_.tables().
  std::map<std::string, TableContent> contents_;  // Of the tables in change_.after().
  std::map<std::string, int64_t> sequences_;      // Before any change.
};

bool HasObject(const google::protobuf::RepeatedPtrField<SqlSchemaObject>& objects, std::string_view type,
               std::string_view name) {
  return std::any_of(objects.begin(), objects.end(),
                     [&](const SqlSchemaObject& object) { return object.type() == type && object.name() == name; });
}

// ---- Preconditions --------------------------------------------------------------------------------------------------

absl::Status Inverter::CheckRows() {
  for (const SqlTableRows& rows : change_.tables()) {
    ASSIGN_OR_RETURN(std::optional<TableShape> shape, FindTable(database_, rows.table()));
    const bool same = shape.has_value() && shape->sql == rows.sql();
    if (!same) {
      return Conflict(rows.table(), absl::StrCat("the table ", rows.table(), " has been altered or dropped since"));
    }
    tables_.emplace_back(database_, *std::move(shape));
    for (const SqlRowChange& row : rows.changes()) RETURN_IF_ERROR(CheckRow(tables_.back(), row));
  }
  return absl::OkStatus();
}

absl::Status Inverter::CheckRow(Table& table, const SqlRowChange& row) {
  ASSIGN_OR_RETURN(const std::string key, table.KeyOf(row.has_after() ? row.after() : row.before()));
  ASSIGN_OR_RETURN(const std::optional<std::string> present, table.Find(key));
  const auto conflict = [&](std::string_view what) {
    return Conflict(table.shape().name, absl::StrCat(table.ShowKey(key), " of ", table.shape().name, ToAbsl(what)));
  };
  if (row.has_after()) {
    if (!present.has_value()) return conflict(" has been deleted since");
    return *present == row.after() ? absl::OkStatus() : conflict(" has been changed since");
  }
  if (!present.has_value()) return absl::OkStatus();
  // The table may treat this key as equal to another; whether both can exist shows when the row is restored.
  ASSIGN_OR_RETURN(const std::string present_key, table.KeyOf(*present));
  return present_key == key ? conflict(" has been inserted again since") : absl::OkStatus();
}

absl::Status Inverter::CheckObjects() {
  if (change_.before().empty() && change_.after().empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<SchemaObject> present, ReadSchema(database_));
  for (const SqlSchemaObject& object : change_.after()) {
    RETURN_IF_ERROR(CheckObjectAfter(object, present));
    RETURN_IF_ERROR(CheckDependents(object, present));
  }
  for (const SqlSchemaObject& object : change_.before()) {
    // Tables, indexes and views share one name space; an object that is to be dropped frees its name.
    const auto taken = std::find_if(present.begin(), present.end(), [&](const SchemaObject& each) {
      return each.name == object.name() && (each.type == "trigger") == (object.type() == "trigger");
    });
    if (taken != present.end() && !HasObject(change_.after(), taken->type, taken->name)) {
      return Conflict(object.table(), absl::StrCat("there is a ", taken->type, " ", taken->name, " again"));
    }
  }
  return absl::OkStatus();
}

absl::Status Inverter::CheckObjectAfter(const SqlSchemaObject& object, const std::vector<SchemaObject>& present) {
  const SchemaObject expected{object.type(), object.name(), object.table(), object.sql()};
  if (std::find(present.begin(), present.end(), expected) == present.end()) {
    return Conflict(object.table(),
                    absl::StrCat("the ", object.type(), " ", object.name(), " has been altered or dropped since"));
  }
  if (object.type() != "table") return absl::OkStatus();
  ASSIGN_OR_RETURN(TableContent content, ReadContent(database_, object.name()));
  if (content.Hash() != object.content_hash()) {
    return Conflict(object.name(), absl::StrCat("rows of the table ", object.name(), " have been changed since"));
  }
  contents_.emplace(object.name(), std::move(content));
  return absl::OkStatus();
}

// Dropping a table or view would also drop objects that were made on it since.
absl::Status Inverter::CheckDependents(const SqlSchemaObject& owner, const std::vector<SchemaObject>& present) {
  if (owner.type() != "table" && owner.type() != "view") return absl::OkStatus();
  for (const SchemaObject& each : present) {
    if (each.table != owner.name() || HasObject(change_.after(), each.type, each.name)) continue;
    return Conflict(owner.name(),
                    absl::StrCat("the ", each.type, " ", each.name, " has been made on ", owner.name(), " since"));
  }
  return absl::OkStatus();
}

// ---- Actions --------------------------------------------------------------------------------------------------------

absl::Status Inverter::DropObjects() {
  for (const char* type : {"trigger", "view", "index", "table"}) {
    for (const SqlSchemaObject& object : change_.after()) {
      if (object.type() != type) continue;
      // Dropping a view drops its triggers, and a table its indexes, but those were dropped before.
      RETURN_IF_ERROR(database_.Execute(absl::StrCat("DROP ", type, " main.", QuoteName(object.name()))));
    }
  }
  return absl::OkStatus();
}

absl::Status Inverter::MakeObjects() {
  for (const char* type : {"table", "index", "view", "trigger"}) {
    for (const SqlSchemaObject& object : change_.before()) {
      if (object.type() != type) continue;
      RETURN_IF_ERROR(Make(object));
      if (object.type() == "table") RETURN_IF_ERROR(FillTable(object));
    }
  }
  return absl::OkStatus();
}

// Its table may be gone, or hold rows that a unique index does not allow.
absl::Status Inverter::Make(const SqlSchemaObject& object) {
  const int result = sqlite3_exec(database_.handle(), object.sql().c_str(), nullptr, nullptr, nullptr);
  if (result == SQLITE_OK) return absl::OkStatus();
  const bool stopped = !database_.guard().status().ok() || !database_.file().status().ok();
  const int kind = result & 0xff;
  if (stopped || (kind != SQLITE_ERROR && kind != SQLITE_CONSTRAINT)) return InternalFailure(database_, result);
  return Conflict(object.table(), absl::StrCat("the ", object.type(), " ", object.name(),
                                               " cannot be made again: ", sqlite3_errmsg(database_.handle())));
}

absl::Status Inverter::FillTable(const SqlSchemaObject& object) {
  ASSIGN_OR_RETURN(std::optional<TableShape> shape, FindTable(database_, object.name()));
  if (!shape.has_value()) return absl::DataLossError("a table's stored statement made no table");
  Table table(database_, *std::move(shape));
  const auto insert = [&](std::string_view row) -> absl::Status {
    ASSIGN_OR_RETURN(const bool inserted, table.Insert(row));
    if (inserted) return absl::OkStatus();
    return Conflict(object.name(), absl::StrCat("a row of the table ", object.name(), " cannot be put back"));
  };
  if (object.rows_of().empty()) {
    for (const std::string& row : object.rows()) RETURN_IF_ERROR(insert(row));
    return absl::OkStatus();
  }
  const auto source = contents_.find(object.rows_of());
  if (source == contents_.end()) return absl::DataLossError("a change names a table that it does not hold");
  for (const std::string& row : source->second.rows) {
    RETURN_IF_ERROR(insert(FirstValues(row, table.shape().fields.size())));
  }
  return absl::OkStatus();
}

// Deletes all rows that must go first, so that none blocks another.
absl::Status Inverter::PutRowsBack() {
  for (size_t i = 0; i < tables_.size(); ++i) {
    for (const SqlRowChange& row : change_.tables(static_cast<int>(i)).changes()) {
      if (!row.has_after()) continue;
      ASSIGN_OR_RETURN(const std::string key, tables_[i].KeyOf(row.after()));
      RETURN_IF_ERROR(tables_[i].Delete(key));
    }
  }
  for (size_t i = 0; i < tables_.size(); ++i) {
    Table& table = tables_[i];
    for (const SqlRowChange& row : change_.tables(static_cast<int>(i)).changes()) {
      if (!row.has_before()) continue;
      ASSIGN_OR_RETURN(const bool inserted, table.Insert(row.before()));
      if (inserted) continue;
      ASSIGN_OR_RETURN(const std::string key, table.KeyOf(row.before()));
      return Conflict(table.shape().name, absl::StrCat(table.ShowKey(key), " of ", table.shape().name,
                                                       " cannot be put back: another row has its unique values now"));
    }
  }
  return absl::OkStatus();
}

// Inserting rows moves counters, so the counters of all written tables are set: to their values before the change if
// they are as it left them, and otherwise to their values before this undo. A counter that has advanced since stays,
// because it only prevents numbers from being used twice.
absl::Status Inverter::PutSequencesBack() {
  std::map<std::string, std::optional<int64_t>> wanted;
  const auto saved = [&](const std::string& table) {
    const auto found = sequences_.find(table);
    return found == sequences_.end() ? std::nullopt : std::optional<int64_t>(found->second);
  };
  std::set<std::string> rebuilt;
  for (const SqlSchemaObject& object : change_.before()) {
    if (object.type() == "table") rebuilt.insert(object.name());
  }
  for (const std::string& table : rebuilt) wanted[table] = saved(table);
  for (const SqlTableRows& rows : change_.tables()) wanted[rows.table()] = saved(rows.table());
  for (const SqlSequence& sequence : change_.sequences()) {
    const std::optional<int64_t> present = saved(sequence.table());
    const bool as_left = present.has_value() == sequence.has_after() && present.value_or(0) == sequence.after();
    if (!as_left && !rebuilt.contains(sequence.table())) continue;
    wanted[sequence.table()] = sequence.has_before() ? std::optional<int64_t>(sequence.before()) : std::nullopt;
  }
  ASSIGN_OR_RETURN(const auto present, ReadSequences(database_));
  for (const auto& [table, value] : wanted) {
    if (present.contains(table)) RETURN_IF_ERROR(SetSequence("DELETE FROM main.sqlite_sequence WHERE name = ?", table));
    if (!value.has_value()) continue;
    RETURN_IF_ERROR(SetSequence("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?1, ?2)", table, *value));
  }
  return absl::OkStatus();
}

absl::Status Inverter::SetSequence(const char* sql, const std::string& table, int64_t value) {
  ASSIGN_OR_RETURN(const Prepared statement, database_.Prepare(sql));
  sqlite3_bind_text(statement.get(), 1, table.c_str(), -1, SQLITE_STATIC);
  sqlite3_bind_int64(statement.get(), 2, value);
  return database_.Step(statement.get()).status();
}

// ---- Postconditions -------------------------------------------------------------------------------------------------

// Rows with a dangling foreign key, each as a text for people.
absl::StatusOr<std::set<std::string>> Inverter::BrokenReferences() {
  std::set<std::string> broken;
  ASSIGN_OR_RETURN(const std::vector<SchemaObject> objects, ReadSchema(database_));
  for (const SchemaObject& object : objects) {
    if (object.type != "table") continue;
    const std::string sql = absl::StrCat("PRAGMA main.foreign_key_check(", QuoteName(object.name), ")");
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_.handle(), sql.c_str(), -1, &statement, nullptr);
    const Prepared check(statement);
    while (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
      const std::string_view row = ColumnText(statement, 1);
      broken.insert(absl::StrCat(row.empty() ? "a row" : absl::StrCat("row ", ToAbsl(row)), " of ", object.name,
                                 " would refer to a row of ", ToAbsl(ColumnText(statement, 2)), " that is not there"));
    }
    RETURN_IF_ERROR(database_.guard().status());
    RETURN_IF_ERROR(database_.file().status());
    // Otherwise the declaration itself does not match the other table: then the rows cannot be judged.
  }
  return broken;
}

absl::Status Inverter::CheckForeignKeys(const std::set<std::string>& known) {
  ASSIGN_OR_RETURN(const std::set<std::string> broken, BrokenReferences());
  for (const std::string& row : broken) {
    if (!known.contains(row)) return Conflict("", row);
  }
  return absl::OkStatus();
}

absl::Status Inverter::Run() {
  sqlite3_db_config(database_.handle(), SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
  sqlite3_db_config(database_.handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  // The rows fulfilled their CHECKs when they were written; a CHECK that calls random() must not decide again.
  RETURN_IF_ERROR(database_.Execute("PRAGMA ignore_check_constraints = ON; BEGIN"));
  RETURN_IF_ERROR(CheckRows());
  RETURN_IF_ERROR(CheckObjects());
  ASSIGN_OR_RETURN(const std::set<std::string> known, BrokenReferences());
  ASSIGN_OR_RETURN(sequences_, ReadSequences(database_));
  RETURN_IF_ERROR(DropObjects());
  RETURN_IF_ERROR(MakeObjects());
  RETURN_IF_ERROR(PutRowsBack());
  RETURN_IF_ERROR(PutSequencesBack());
  RETURN_IF_ERROR(CheckForeignKeys(known));
  return database_.Execute("COMMIT");
}

}  // namespace

absl::Status ApplyInverse(Database& database, const SqlChange& change) { return Inverter(database, change).Run(); }

}  // namespace toolgate::executors::sql::engine
