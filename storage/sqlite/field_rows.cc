#include "storage/sqlite/field_rows.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kFindField[] = "SELECT key FROM fields WHERE workspace = ? AND scope = ? AND name = ?";
constexpr char kMakeField[] = "INSERT INTO fields (workspace, scope, name) VALUES (?, ?, ?) RETURNING key";
constexpr char kAddValue[] = "INSERT OR IGNORE INTO field_values (field, value, tie, row) VALUES (?, ?, ?, ?)";
constexpr char kEraseValue[] = "DELETE FROM field_values WHERE field = ? AND value = ? AND tie = ? AND row = ?";

constexpr char kHasAll[] = "SELECT 1 FROM field_state WHERE digest = ? AND next_row >= last_row";
constexpr char kReadDigest[] = "SELECT digest FROM field_state";
constexpr char kForgetFields[] = "DELETE FROM fields";
constexpr char kForgetValues[] = "DELETE FROM field_values";
constexpr char kBeginBuilding[] =
    "UPDATE field_state SET digest = ?, next_row = 0, last_row = (SELECT coalesce(max(row), 0) FROM blocks)";
constexpr char kReadState[] = "SELECT next_row, last_row FROM field_state";
constexpr char kSetNext[] = "UPDATE field_state SET next_row = ?";
constexpr char kBlocksAbove[] =
    "SELECT row, workspace, type, parent, rank, created_at, data FROM blocks WHERE row > ? AND row <= ? ORDER BY row "
    "LIMIT ?";

void BindValue(Cursor& cursor, const IndexValue& value) {
  std::visit([&cursor](const auto& alternative) { cursor.Bind(alternative); }, value);
}

bool IsText(const IndexValue& value) { return std::holds_alternative<std::string>(value); }

// SQLite orders numbers before texts.
std::string RangeSql(const IndexRange& range) {
  std::string sql = "f.field = ?";
  if (range.low.has_value()) {
    absl::StrAppend(&sql, " AND f.value ", range.without_low ? ">" : ">=", " ?");
    if (!range.high.has_value() && !IsText(*range.low)) absl::StrAppend(&sql, " AND f.value < ''");
  }
  if (range.high.has_value()) {
    if (!range.low.has_value() && IsText(*range.high)) absl::StrAppend(&sql, " AND f.value >= ''");
    absl::StrAppend(&sql, " AND f.value ", range.without_high ? "<" : "<=", " ?");
  }
  return sql;
}

constexpr char kSelectRows[] = "SELECT f.row FROM field_values f WHERE ";

}  // namespace

// ---- Rows of blocks -------------------------------------------------------------------------------------------------

absl::StatusOr<int64_t> FieldRows::Find(const std::string& scope, const std::string& name) {
  const auto known = keys_.find(std::pair(scope, name));
  if (known != keys_.end()) return known->second;
  Cursor cursor = connection_.Use(kFindField);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, scope, name).Step());
  if (!found) return 0;
  return keys_[{scope, name}] = cursor.Int(0);
}

absl::StatusOr<int64_t> FieldRows::Make(const std::string& scope, const std::string& name) {
  ASSIGN_OR_RETURN(const int64_t present, Find(scope, name));
  if (present != 0) return present;
  Cursor cursor = connection_.Use(kMakeField);
  RETURN_IF_ERROR(cursor.Bind(workspace_, scope, name).Step().status());
  return cursor.Int(0);
}

absl::Status FieldRows::Change(int64_t block_row, const IndexChange& change) {
  for (const IndexEntry& entry : change.erased) {
    ASSIGN_OR_RETURN(const int64_t field, Find(entry.scope, entry.field));
    if (field == 0) continue;  // Not indexed yet.
    Cursor cursor = connection_.Use(kEraseValue);
    cursor.Bind(field);
    BindValue(cursor, entry.value);
    BindValue(cursor, entry.tie);
    RETURN_IF_ERROR(cursor.Bind(block_row).Run());
  }
  for (const IndexEntry& entry : change.added) {
    ASSIGN_OR_RETURN(const int64_t field, Make(entry.scope, entry.field));
    Cursor cursor = connection_.Use(kAddValue);
    cursor.Bind(field);
    BindValue(cursor, entry.value);
    BindValue(cursor, entry.tie);
    RETURN_IF_ERROR(cursor.Bind(block_row).Run());
  }
  return absl::OkStatus();
}

// ---- Slices ---------------------------------------------------------------------------------------------------------

absl::StatusOr<int64_t> FieldRows::FindField(const IndexSlice& slice) { return Find(slice.scope, slice.field); }

std::string ConditionSql(const IndexSlice& slice) {
  return slice.ranges.empty() ? "f.field = ?" : RangeSql(slice.ranges[0]);
}

std::string SelectRowsSql(const IndexSlice& slice) {
  // A block has one row in an exact slice, whose ranges do not overlap.
  const std::string_view with = slice.exact ? " UNION ALL " : " UNION ";
  std::string sql = absl::StrCat(kSelectRows, ConditionSql(slice));
  for (size_t i = 1; i < slice.ranges.size(); ++i) {
    absl::StrAppend(&sql, ToAbsl(with), kSelectRows, RangeSql(slice.ranges[i]));
  }
  return sql;
}

void BindSlice(Cursor& cursor, int64_t field, const IndexSlice& slice) {
  if (slice.ranges.empty()) cursor.Bind(field);
  for (const IndexRange& range : slice.ranges) {
    cursor.Bind(field);
    if (range.low.has_value()) BindValue(cursor, *range.low);
    if (range.high.has_value()) BindValue(cursor, *range.high);
  }
}

absl::StatusOr<int64_t> FieldRows::Count(const IndexSlice& slice, int64_t limit) {
  ASSIGN_OR_RETURN(const int64_t field, FindField(slice));
  if (field == 0) return 0;
  Cursor cursor = connection_.UseText(absl::StrCat("SELECT count(*) FROM (", SelectRowsSql(slice), " LIMIT ?)"));
  BindSlice(cursor, field, slice);
  RETURN_IF_ERROR(cursor.Bind(limit).Step().status());
  return cursor.Int(0);
}

// ---- Building -------------------------------------------------------------------------------------------------------

absl::StatusOr<bool> HasAllFieldRows(Connection& connection, const DeclaredFields& fields) {
  if (fields.empty()) return false;
  Cursor cursor = connection.Use(kHasAll);
  return cursor.Bind(fields.digest()).Step();
}

absl::Status PrepareFieldRows(Connection& connection, const DeclaredFields& fields) {
  {
    Cursor cursor = connection.Use(kReadDigest);
    RETURN_IF_ERROR(cursor.Step().status());
    if (cursor.Text(0) == fields.digest()) return absl::OkStatus();
  }
  RETURN_IF_ERROR(connection.Use(kForgetValues).Run());
  RETURN_IF_ERROR(connection.Use(kForgetFields).Run());
  return connection.Use(kBeginBuilding).Bind(fields.digest()).Run();
}

absl::StatusOr<bool> AddFieldRows(Connection& connection, const DeclaredFields& fields, int64_t limit) {
  int64_t next = 0;
  int64_t last = 0;
  {
    Cursor cursor = connection.Use(kReadState);
    RETURN_IF_ERROR(cursor.Step().status());
    next = cursor.Int(0);
    last = cursor.Int(1);
  }
  if (next >= last || fields.empty()) return false;
  Cursor blocks = connection.Use(kBlocksAbove);
  blocks.Bind(next, last, limit);
  int64_t read = 0;
  for (; read < limit; ++read) {
    ASSIGN_OR_RETURN(const bool found, blocks.Step());
    if (!found) break;
    next = blocks.Int(0);
    if (fields.Find(blocks.Text(2)) == nullptr) continue;
    Block block;
    block.type = blocks.Text(2);
    block.parent_id = blocks.Text(3);
    block.rank = blocks.Text(4);
    block.created_at = absl::FromUnixMicros(blocks.Int(5));
    block.data = blocks.Text(6);
    RETURN_IF_ERROR(FieldRows(connection, blocks.Int(1)).Change(next, IndexChangeOf(fields, nullptr, &block)));
  }
  if (read < limit) next = last;
  RETURN_IF_ERROR(connection.Use(kSetNext).Bind(next).Run());
  return next < last;
}

}  // namespace toolgate::storage::sqlite
