#include "executors/sql/engine/authorizer.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/words.h"
#include "common/tool_error.h"
#include "executors/sql/engine/sql_error.h"

namespace toolgate::executors::sql::engine {
namespace {

using Kind = SchemaStep::Kind;

constexpr std::string_view kMain = "main";
constexpr std::string_view kSchemaTable = "sqlite_master";
constexpr std::string_view kTempSchemaTable = "sqlite_temp_master";
constexpr std::string_view kSequenceTable = "sqlite_sequence";
constexpr std::string_view kReadableTables[] = {"sqlite_schema", kSchemaTable, kSequenceTable, "json_each",
                                                "json_tree"};
// SQLite may call no callback between two functions, so their number is limited as well as their time.
constexpr int kMaxFunctions = 2000;
// Fewer than a Database allows, which also reads row numbers.
constexpr int kMaxColumns = 200;

// Sorted. Excluded are functions that load code or reach files, that write to the log, that describe the build of
// SQLite, and json_patch, whose time is the product of its arguments' lengths.
constexpr std::string_view kFunctions[] = {
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "ceil",
    "ceiling",
    "changes",
    "char",
    "coalesce",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_insert_rowid",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "percent_rank",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "random",
    "randomblob",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "soundex",
    "sqlite_version",
    "sqrt",
    "strftime",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "time",
    "total",
    "total_changes",
    "trim",
    "trunc",
    "typeof",
    "unicode",
    "unixepoch",
    "unlikely",
    "upper",
    "zeroblob",
};
static_assert(std::is_sorted(std::begin(kFunctions), std::end(kFunctions)));

// PRAGMAs that describe one object, or all if none is named.
constexpr std::string_view kPragmasOnObjects[] = {"table_info", "table_xinfo", "table_list",       "index_list",
                                                  "index_info", "index_xinfo", "foreign_key_list", "foreign_key_check"};
// PRAGMAs that only read if they are given no value.
constexpr std::string_view kPragmasWithoutValue[] = {"user_version", "schema_version", "application_id",
                                                     "page_count",   "page_size",      "freelist_count",
                                                     "encoding",     "foreign_keys"};
constexpr std::string_view kPragmaTable = "pragma_";

bool StartsWith(std::string_view text, std::string_view prefix) {
  return absl::StartsWithIgnoreCase(ToAbsl(text), ToAbsl(prefix));
}

absl::Status Forbidden(std::string_view message) { return MakeError(ErrorCode::kForbidden, message); }

absl::Status NoTemporaryObjects() {
  return Forbidden(
      "temporary tables, views, triggers and indexes are not available; a query of WITH serves within "
      "one statement, and a table named ai_… lasts");
}

// Error message for a kind of statement that is refused as a whole.
absl::Status RefusedStatement(int action) {
  switch (action) {
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return Forbidden("transactions and savepoints are not available: each call is one, and undo takes it back");
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return Forbidden("ATTACH, DETACH and VACUUM are not available: there is one database, and no files");
    case SQLITE_ANALYZE:
    case SQLITE_REINDEX:
      return Forbidden("ANALYZE and REINDEX are not available, and a database of this size needs neither");
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
      return Forbidden("virtual tables are not available, full-text ones neither; LIKE and instr() search text");
    default:
      return NoTemporaryObjects();
  }
}

std::string Quoted(std::string_view kind, std::string_view name) {
  return absl::StrCat("the ", ToAbsl(kind), " \"", Shortened(name), "\"");
}

std::string_view View(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

}  // namespace

Authorizer::Authorizer(sqlite3* db, StatementGuard& guard)
    : db_(db), guard_(guard), our_columns_(sqlite3_limit(db, SQLITE_LIMIT_COLUMN, kMaxColumns)) {
  sqlite3_set_authorizer(db, Ask, this);
}

Authorizer::~Authorizer() { Detach(); }

void Authorizer::Detach() {
  sqlite3_set_authorizer(db_, nullptr, nullptr);
  sqlite3_limit(db_, SQLITE_LIMIT_COLUMN, our_columns_);
}

int Authorizer::Ask(void* self, int action, const char* first, const char* second, const char* database, const char*) {
  auto& authorizer = *static_cast<Authorizer*>(self);
  ++authorizer.asked_;
  if (!authorizer.guard_.MayContinue()) return SQLITE_DENY;
  const absl::Status decision = authorizer.Decide(action, View(first), View(second), database);
  if (decision.ok()) return SQLITE_OK;
  authorizer.refusal_.Update(decision);
  return SQLITE_DENY;
}

absl::Status Authorizer::Decide(int action, std::string_view first, std::string_view second, const char* database) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return absl::OkStatus();
    case SQLITE_READ:
      return DecideRead(first, second, database);
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return DecideWrite(first, View(database));
    case SQLITE_FUNCTION:
      return DecideFunction(second);
    case SQLITE_PRAGMA:
      return DecidePragma(first, second, View(database));
    case SQLITE_CREATE_TABLE:
      return DecideStep(Kind::kCreate, "table", first, "", View(database));
    case SQLITE_CREATE_INDEX:
      return DecideStep(Kind::kCreate, "index", first, second, View(database));
    case SQLITE_CREATE_VIEW:
      return DecideStep(Kind::kCreate, "view", first, "", View(database));
    case SQLITE_CREATE_TRIGGER:
      return DecideStep(Kind::kCreate, "trigger", first, second, View(database));
    case SQLITE_DROP_TABLE:
      return DecideStep(Kind::kDrop, "table", first, "", View(database));
    case SQLITE_DROP_INDEX:
      return DecideStep(Kind::kDrop, "index", first, second, View(database));
    case SQLITE_DROP_VIEW:
      return DecideStep(Kind::kDrop, "view", first, "", View(database));
    case SQLITE_DROP_TRIGGER:
      return DecideStep(Kind::kDrop, "trigger", first, second, View(database));
    case SQLITE_ALTER_TABLE:
      return DecideStep(Kind::kAlter, "table", second, "", first);
    case SQLITE_REINDEX:
      // A new index is filled this way.
      if (Has(Kind::kCreate, "index", first)) return absl::OkStatus();
      return RefusedStatement(action);
    default:
      return RefusedStatement(action);
  }
}

bool Authorizer::Has(Kind kind, std::string_view type, std::string_view name) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const SchemaStep& step) {
    return step.kind == kind && step.type == type && step.name == name;
  });
}

absl::Status Authorizer::DecideRead(std::string_view table, std::string_view column, const char* database) const {
  // SQLite looks for dependents among temporary objects, which do not exist here.
  if (View(database) == "temp") return alters() ? absl::OkStatus() : NoTemporaryObjects();
  // If no column is read, SQLite passes the name as it was written.
  if (IsOwnName(table) || text::IsOneOfIgnoringCase(table, kReadableTables)) return absl::OkStatus();
  if (StartsWith(table, kPragmaTable)) {
    // ALTER TABLE checks the existing rows.
    if (alters() && table == "pragma_quick_check") return absl::OkStatus();
    const std::string_view pragma = table.substr(kPragmaTable.size());
    if (text::IsOneOfIgnoringCase(pragma, kPragmasOnObjects) || text::IsOneOfIgnoringCase(pragma, kPragmasWithoutValue))
      return absl::OkStatus();
    return DecidePragma(pragma, "", "");
  }
  // Not a column of any database's table: the name of a WITH clause or of a subquery.
  if (column.empty() && database == nullptr && !StartsWith(table, "sqlite_")) return absl::OkStatus();
  return NotForThisTool(Quoted("table", table));
}

absl::Status Authorizer::DecideWrite(std::string_view table, std::string_view database) {
  // Part of every schema change, and of looking up a table-valued function. SQLite does not let statements do it
  // directly.
  if (table == kSchemaTable || (alters() && table == kTempSchemaTable)) return absl::OkStatus();
  if (table == kSequenceTable && !steps_.empty() && steps_[0].kind != Kind::kCreate) return absl::OkStatus();
  if (database != kMain) return NoTemporaryObjects();
  return IsOwnName(table) ? absl::OkStatus() : NotForThisTool(Quoted("table", table));
}

absl::Status Authorizer::DecideStep(Kind kind, std::string_view type, std::string_view name, std::string_view table,
                                    std::string_view database) {
  if (database != kMain) return NoTemporaryObjects();
  // Objects that SQLite itself creates with a table.
  const bool automatic = kind == Kind::kCreate &&
                         (type == "index" ? Has(Kind::kCreate, "table", table) && StartsWith(name, "sqlite_autoindex_")
                                          : !steps_.empty() && name == kSequenceTable);
  if (automatic) return absl::OkStatus();
  if (StartsWith(name, "sqlite_stat")) return RefusedStatement(SQLITE_ANALYZE);
  if (!IsOwnName(name)) return NotForThisTool(Quoted(type, name));
  if (!table.empty() && !IsOwnName(table)) return NotForThisTool(Quoted("table", table));
  steps_.push_back({kind, type, std::string(name), std::string(table)});
  return absl::OkStatus();
}

absl::Status Authorizer::DecideFunction(std::string_view name) {
  if (++functions_ > kMaxFunctions) {
    return Forbidden(absl::StrCat("a statement calls at most ", kMaxFunctions, " functions; use several statements"));
  }
  if (alters() && StartsWith(name, "sqlite_")) return absl::OkStatus();
  if (std::binary_search(std::begin(kFunctions), std::end(kFunctions), name)) return absl::OkStatus();
  return Forbidden(absl::StrCat("the function ", ToAbsl(name),
                                "() is not available: a statement cannot load code, reach files or ask about the "
                                "machine; text, number, date, JSON, aggregate and window functions are there"));
}

absl::Status Authorizer::DecidePragma(std::string_view name, std::string_view argument,
                                      std::string_view database) const {
  if (!database.empty() && database != kMain) return NoTemporaryObjects();
  if (text::IsOneOfIgnoringCase(name, kPragmasOnObjects)) {
    if (argument.empty() || IsOwnName(argument) || StartsWith(argument, "sqlite_")) return absl::OkStatus();
    return NotForThisTool(Quoted("table", argument));
  }
  if (alters() && name == "quick_check") return absl::OkStatus();
  if (text::IsOneOfIgnoringCase(name, kPragmasWithoutValue) && argument.empty()) return absl::OkStatus();
  return Forbidden(absl::StrCat("the pragma ", Shortened(name), argument.empty() ? "" : " with a value",
                                " is not available; those are that only read: table_info(ai_…), table_xinfo, "
                                "table_list, index_list, index_info, index_xinfo, foreign_key_list, foreign_key_check, "
                                "user_version, schema_version, page_count, page_size, freelist_count, encoding, "
                                "foreign_keys"));
}

}  // namespace toolgate::executors::sql::engine
