// The difference between two states of a private database.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "common/status_macros.h"
#include "executors/sql/engine/change.h"
#include "executors/sql/engine/schema.h"
#include "executors/sql/engine/table.h"
#include "executors/sql/engine/table_content.h"

namespace toolgate::executors::sql::engine {
namespace {

using internal::v1::SqlChange;
using internal::v1::SqlRowChange;
using internal::v1::SqlSchemaObject;
using internal::v1::SqlTableRows;

class ChangeFinder {
 public:
  ChangeFinder(Database& before, Database& after, int64_t max_bytes)
      : before_(before), after_(after), max_bytes_(max_bytes) {}

  absl::Status FindSchema();
  absl::Status FindRows(const ChangeRecorder& recorder);
  absl::Status FindSequences();

  bool too_large() const { return bytes_ > max_bytes_; }
  SqlChange& change() { return change_; }

 private:
  using Rows = std::map<std::string, std::string>;  // By key.

  absl::Status AddTablesBefore(const std::vector<const SchemaObject*>& tables_before,
                               const std::vector<const SchemaObject*>& tables_after);
  absl::Status AddTableBefore(const SchemaObject& table, const std::map<std::string, TableContent>& contents_after,
                              const std::string& counterpart);
  absl::Status FindTableRows(const std::string& name, const ChangeRecorder::Touched& touched);
  absl::Status ReadRows(Table& table, const ChangeRecorder::Touched& touched, Rows& rows);
  void AddDifference(const Rows& before, const Rows& after, SqlTableRows& table);

  Database& before_;
  Database& after_;
  const int64_t max_bytes_;
  int64_t bytes_ = 0;
  std::set<std::string> rebuilt_;  // Tables that FindSchema has already handled.
  SqlChange change_;
};

// Objects that are in `objects` but not in `others`; for each such table and view, also everything that belongs to it.
std::vector<const SchemaObject*> Beyond(const std::vector<SchemaObject>& objects,
                                        const std::vector<SchemaObject>& others) {
  const auto differs = [&](const SchemaObject& object) {
    return std::find(others.begin(), others.end(), object) == others.end();
  };
  std::set<std::string> owners;
  for (const SchemaObject& object : objects) {
    const bool owner = object.type == "table" || object.type == "view";
    if (owner && differs(object)) owners.insert(object.name);
  }
  std::vector<const SchemaObject*> beyond;
  for (const SchemaObject& object : objects) {
    if (differs(object) || owners.contains(object.table)) beyond.push_back(&object);
  }
  return beyond;
}

std::vector<const SchemaObject*> TablesOf(const std::vector<const SchemaObject*>& objects) {
  std::vector<const SchemaObject*> tables;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(tables),
               [](const SchemaObject* object) { return object->type == "table"; });
  return tables;
}

void Fill(const SchemaObject& object, SqlSchemaObject& message) {
  message.set_type(object.type);
  message.set_name(object.name);
  message.set_table(object.table);
  message.set_sql(object.sql);
}

// The table in the new state that corresponds to the table `name` in the old one: the one of the same name, or, if it
// was renamed, the only new one. Empty if there is none.
std::string Counterpart(const std::string& name, const std::vector<const SchemaObject*>& before,
                        const std::vector<const SchemaObject*>& after) {
  const auto has = [](const std::vector<const SchemaObject*>& tables, const std::string& wanted) {
    return std::any_of(tables.begin(), tables.end(), [&](const SchemaObject* table) { return table->name == wanted; });
  };
  if (has(after, name)) return name;
  std::vector<std::string> fresh;
  for (const SchemaObject* table : after) {
    if (!has(before, table->name)) fresh.push_back(table->name);
  }
  return fresh.size() == 1 ? fresh[0] : "";
}

// True if each row of `longer` begins with the values of its counterpart in `shorter`.
bool BeginsWith(const TableContent& longer, const TableContent& shorter) {
  return longer.shape.without_rowid == shorter.shape.without_rowid && longer.shape.key == shorter.shape.key &&
         std::equal(longer.rows.begin(), longer.rows.end(), shorter.rows.begin(), shorter.rows.end(),
                    [](const std::string& a, const std::string& b) { return absl::StartsWith(a, b); });
}

absl::Status ChangeFinder::FindSchema() {
  ASSIGN_OR_RETURN(const std::vector<SchemaObject> objects_before, ReadSchema(before_));
  ASSIGN_OR_RETURN(const std::vector<SchemaObject> objects_after, ReadSchema(after_));
  const auto gone = Beyond(objects_before, objects_after);
  const auto made = Beyond(objects_after, objects_before);
  for (const SchemaObject* object : gone) {
    bytes_ += static_cast<int64_t>(object->sql.size());
    if (object->type == "table") {
      rebuilt_.insert(object->name);
    } else {
      Fill(*object, *change_.add_before());
    }
  }
  for (const SchemaObject* object : made) {
    bytes_ += static_cast<int64_t>(object->sql.size());
    if (object->type == "table") {
      rebuilt_.insert(object->name);
    } else {
      Fill(*object, *change_.add_after());
    }
  }
  return AddTablesBefore(TablesOf(gone), TablesOf(made));
}

absl::Status ChangeFinder::AddTablesBefore(const std::vector<const SchemaObject*>& tables_before,
                                           const std::vector<const SchemaObject*>& tables_after) {
  std::map<std::string, TableContent> contents_after;
  for (const SchemaObject* table : tables_after) {
    ASSIGN_OR_RETURN(TableContent content, ReadContent(after_, table->name));
    SqlSchemaObject& message = *change_.add_after();
    Fill(*table, message);
    message.mutable_fields()->Assign(content.shape.fields.begin(), content.shape.fields.end());
    message.set_content_hash(content.Hash());
    contents_after.emplace(table->name, std::move(content));
  }
  for (const SchemaObject* table : tables_before) {
    const std::string counterpart = Counterpart(table->name, tables_before, tables_after);
    RETURN_IF_ERROR(AddTableBefore(*table, contents_after, counterpart));
  }
  return absl::OkStatus();
}

absl::Status ChangeFinder::AddTableBefore(const SchemaObject& table,
                                          const std::map<std::string, TableContent>& contents_after,
                                          const std::string& counterpart) {
  ASSIGN_OR_RETURN(const TableContent content, ReadContent(before_, table.name));
  SqlSchemaObject& message = *change_.add_before();
  Fill(table, message);
  message.mutable_fields()->Assign(content.shape.fields.begin(), content.shape.fields.end());
  const auto after = contents_after.find(counterpart);
  if (after != contents_after.end() && BeginsWith(after->second, content)) {
    message.set_rows_of(counterpart);
    return absl::OkStatus();
  }
  for (const std::string& row : content.rows) {
    bytes_ += static_cast<int64_t>(row.size());
    if (too_large()) return absl::OkStatus();
    message.add_rows(row);
  }
  return absl::OkStatus();
}

absl::Status ChangeFinder::FindRows(const ChangeRecorder& recorder) {
  RETURN_IF_ERROR(recorder.status());
  for (const auto& [name, touched] : recorder.tables()) {
    if (rebuilt_.contains(name) || !touched.shape.has_value()) continue;
    RETURN_IF_ERROR(FindTableRows(name, touched));
  }
  return absl::OkStatus();
}

absl::Status ChangeFinder::FindTableRows(const std::string& name, const ChangeRecorder::Touched& touched) {
  Table table_before(before_, *touched.shape);
  Table table_after(after_, *touched.shape);
  Rows rows_before;
  Rows rows_after;
  RETURN_IF_ERROR(ReadRows(table_before, touched, rows_before));
  RETURN_IF_ERROR(ReadRows(table_after, touched, rows_after));
  SqlTableRows table;
  AddDifference(rows_before, rows_after, table);
  if (table.changes().empty()) return absl::OkStatus();
  table.set_table(name);
  table.set_sql(touched.shape->sql);
  *change_.add_tables() = std::move(table);
  return absl::OkStatus();
}

absl::Status ChangeFinder::ReadRows(Table& table, const ChangeRecorder::Touched& touched, Rows& rows) {
  // Under the row's own key, not the one it was looked up by: the table may treat the two as equal.
  const auto add = [&](std::string row) -> absl::Status {
    ASSIGN_OR_RETURN(std::string key, table.KeyOf(row));
    rows.emplace(std::move(key), std::move(row));
    return absl::OkStatus();
  };
  if (touched.whole) return table.ForEach(add);
  for (const std::string& key : touched.keys) {
    ASSIGN_OR_RETURN(std::optional<std::string> row, table.Find(key));
    if (row.has_value()) RETURN_IF_ERROR(add(*std::move(row)));
  }
  return absl::OkStatus();
}

void ChangeFinder::AddDifference(const Rows& before, const Rows& after, SqlTableRows& table) {
  const auto add = [&](const std::string* old_row, const std::string* new_row) {
    bytes_ +=
        static_cast<int64_t>((old_row == nullptr ? 0 : old_row->size()) + (new_row == nullptr ? 0 : new_row->size()));
    if (too_large()) return;
    SqlRowChange& row = *table.add_changes();
    if (old_row != nullptr) row.set_before(*old_row);
    if (new_row != nullptr) row.set_after(*new_row);
  };
  auto left = before.begin();
  auto right = after.begin();
  while (left != before.end() || right != after.end()) {
    if (right == after.end() || (left != before.end() && left->first < right->first)) {
      add(&(left++)->second, nullptr);
    } else if (left == before.end() || right->first < left->first) {
      add(nullptr, &(right++)->second);
    } else {
      if (left->second != right->second) add(&left->second, &right->second);
      ++left;
      ++right;
    }
  }
}

absl::Status ChangeFinder::FindSequences() {
  ASSIGN_OR_RETURN(const auto sequences_before, ReadSequences(before_));
  ASSIGN_OR_RETURN(const auto sequences_after, ReadSequences(after_));
  std::set<std::string> names;
  for (const auto& [name, value] : sequences_before) names.insert(name);
  for (const auto& [name, value] : sequences_after) names.insert(name);
  for (const std::string& name : names) {
    const auto left = sequences_before.find(name);
    const auto right = sequences_after.find(name);
    const bool was = left != sequences_before.end();
    const bool is = right != sequences_after.end();
    if (was && is && left->second == right->second) continue;
    auto& message = *change_.add_sequences();
    message.set_table(name);
    if (was) message.set_before(left->second);
    if (is) message.set_after(right->second);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<SqlChange>> FindChange(Database& before, Database& after, const ChangeRecorder& recorder,
                                                    bool schema, int64_t max_bytes) {
  ChangeFinder finder(before, after, max_bytes);
  if (schema) RETURN_IF_ERROR(finder.FindSchema());
  if (!finder.too_large()) RETURN_IF_ERROR(finder.FindRows(recorder));
  RETURN_IF_ERROR(finder.FindSequences());
  if (finder.too_large()) return std::optional<SqlChange>();
  return std::optional<SqlChange>(std::move(finder.change()));
}

bool IsEmpty(const SqlChange& change) {
  return change.tables().empty() && change.before().empty() && change.after().empty() && change.sequences().empty();
}

}  // namespace toolgate::executors::sql::engine
