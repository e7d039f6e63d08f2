#include "executors/sql/engine/row_gatherer.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "executors/sql/engine/database.h"

namespace toolgate::executors::sql::engine {
namespace {

// Size of a row's braces, and of a member's quotes, colon and comma.
constexpr int64_t kRowBytes = 3;
constexpr int64_t kMemberBytes = 4;

Json ToJson(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT: {
      const double number = sqlite3_column_double(statement, column);
      return std::isfinite(number) ? Json(number) : Json();
    }
    case SQLITE_TEXT:
      return std::string(ColumnText(statement, column));
    case SQLITE_BLOB: {
      const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
      return {{"base64", absl::Base64Escape(absl::string_view(bytes == nullptr ? "" : bytes, size))}};
    }
    default:
      return Json();
  }
}

std::vector<std::string> UniqueNames(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  absl::flat_hash_set<std::string> taken;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* const written = sqlite3_column_name(statement, i);
    const std::string name = written == nullptr ? "" : written;
    std::string unique = name;
    for (int suffix = 2; !taken.insert(unique).second; ++suffix) unique = absl::StrCat(name, "_", suffix);
    names.push_back(std::move(unique));
  }
  return names;
}

}  // namespace

RowGatherer::RowGatherer(sqlite3_stmt* statement, const SqlLimits& limits)
    : statement_(statement), limits_(limits), names_(UniqueNames(statement)) {}

void RowGatherer::Add() {
  ++count_;
  if (truncated_) return;
  Json row = Json::object();
  auto& members = row.get_ref<Json::object_t&>();
  int64_t bytes = kRowBytes;
  for (size_t i = 0; i < names_.size(); ++i) {
    Json value = ToJson(statement_, static_cast<int>(i));
    bytes += kMemberBytes + static_cast<int64_t>(names_[i].size() + DumpJson(value).size());
    members.push_back({names_[i], std::move(value)});
    if (bytes_ + bytes > limits_.max_answer_bytes) break;
  }
  truncated_ = count_ > limits_.max_rows || bytes_ + bytes > limits_.max_answer_bytes;
  if (truncated_) return;
  bytes_ += bytes;
  rows_.push_back(std::move(row));
}

}  // namespace toolgate::executors::sql::engine
