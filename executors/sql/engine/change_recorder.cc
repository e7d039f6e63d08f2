#include "executors/sql/engine/change_recorder.h"

#include <utility>

#include "absl/strings/match.h"
#include "common/status_macros.h"
#include "executors/sql/engine/record.h"

namespace toolgate::executors::sql::engine {

ChangeRecorder::ChangeRecorder(Database& database, std::function<absl::StatusOr<Database*>()> before,
                               int64_t max_key_bytes)
    : database_(database), before_(std::move(before)), max_key_bytes_(max_key_bytes) {
  sqlite3_preupdate_hook(database_.handle(), OnChange, this);
}

ChangeRecorder::~ChangeRecorder() { sqlite3_preupdate_hook(database_.handle(), nullptr, nullptr); }

void ChangeRecorder::OnChange(void* self, sqlite3*, int operation, const char*, const char* table,
                              sqlite3_int64 old_rowid, sqlite3_int64 new_rowid) {
  auto& recorder = *static_cast<ChangeRecorder*>(self);
  if (absl::StartsWith(table, "sqlite_")) return;
  recorder.Note(recorder.Find(table), operation, old_rowid, new_rowid);
}

absl::StatusOr<std::optional<TableShape>> ChangeRecorder::ShapeOf(const char* table) const {
  ASSIGN_OR_RETURN(Database* const before, before_());
  return FindTable(*before, table);
}

ChangeRecorder::Touched& ChangeRecorder::Find(const char* table) {
  const auto [place, added] = tables_.try_emplace(table);
  if (!added) return place->second;
  absl::StatusOr<std::optional<TableShape>> shape = ShapeOf(table);
  if (shape.ok()) {
    place->second.shape = *std::move(shape);
  } else {
    status_.Update(shape.status());
  }
  place->second.whole =
      !place->second.shape.has_value() || (place->second.shape->without_rowid && place->second.shape->computed_columns);
  return place->second;
}

void ChangeRecorder::Note(Touched& touched, int operation, int64_t old_rowid, int64_t new_rowid) {
  if (touched.whole) return;
  if (touched.shape->without_rowid) {
    if (operation != SQLITE_INSERT) AddPrimaryKey(touched, sqlite3_preupdate_old);
    if (operation != SQLITE_DELETE) AddPrimaryKey(touched, sqlite3_preupdate_new);
    return;
  }
  if (operation != SQLITE_INSERT) AddKey(touched, IntegerRecord(old_rowid));
  if (operation != SQLITE_DELETE) AddKey(touched, IntegerRecord(new_rowid));
}

void ChangeRecorder::AddPrimaryKey(Touched& touched, int (*value_of)(sqlite3*, int, sqlite3_value**)) {
  std::string key;
  for (const int column : touched.shape->key_columns) {
    sqlite3_value* value = nullptr;
    if (value_of(database_.handle(), column, &value) != SQLITE_OK || value == nullptr) {
      touched.whole = true;
      return;
    }
    AppendValue(value, key);
  }
  AddKey(touched, std::move(key));
}

void ChangeRecorder::AddKey(Touched& touched, std::string key) {
  const auto size = static_cast<int64_t>(key.size());
  if (!touched.keys.insert(std::move(key)).second) return;
  key_bytes_ += size;
  if (key_bytes_ <= max_key_bytes_) return;
  // More than undo can keep, unless the rows ended unchanged: then a comparison of all of them will show it.
  touched.whole = true;
  touched.keys.clear();
}

}  // namespace toolgate::executors::sql::engine
