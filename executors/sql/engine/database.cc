#include "executors/sql/engine/database.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/sql/engine/bounded_functions.h"
#include "executors/sql/engine/json_path_functions.h"
#include "executors/sql/engine/sql_error.h"

namespace toolgate::executors::sql::engine {
namespace {

// Number of SQLite instructions between two checks of the clock: some tens of microseconds.
constexpr int kInstructionsBetweenLooks = 1000;

struct Limit {
  int id;
  int value;
};

// A value is at most as long as a caller could send or would be shown, and far shorter than would let one function run
// for long. Foreign-key cascades count as triggers, so the limit leaves room for trees of some depth.
constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 512 << 10},
    {SQLITE_LIMIT_SQL_LENGTH, 512 << 10},
    {SQLITE_LIMIT_COLUMN, 210},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},
    {SQLITE_LIMIT_COMPOUND_SELECT, 50},
    {SQLITE_LIMIT_VDBE_OP, 250'000},
    {SQLITE_LIMIT_FUNCTION_ARG, 100},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kMaxPatternBytes},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 250},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 100},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

struct Switch {
  int id;
  int on;
};

// Foreign keys are enforced, and a name in double quotes is a name: if it is not found, it is an error and not a
// string.
constexpr Switch kSwitches[] = {
    {SQLITE_DBCONFIG_ENABLE_FKEY, 1},     {SQLITE_DBCONFIG_ENABLE_TRIGGER, 1},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 1},     {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},  {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}, {SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 0},
    {SQLITE_DBCONFIG_DQS_DML, 0},         {SQLITE_DBCONFIG_DQS_DDL, 0},
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
};

int AskGuard(void* guard) { return static_cast<StatementGuard*>(guard)->MayContinue() ? 0 : 1; }

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(PageFile& file, const SqlLimits& limits, StatementGuard& guard,
                                                         absl::Time now) {
  auto database = absl::WrapUnique(new Database(file, limits, guard, now));
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
                         SQLITE_OPEN_EXRESCODE;
  const int opened = sqlite3_open_v2(PageVfs::kFileName, &database->handle_, kFlags, database->vfs_.name());
  if (opened != SQLITE_OK) return InternalFailure(*database, opened);
  RETURN_IF_ERROR(database->Configure());
  return database;
}

Database::~Database() { sqlite3_close(handle_); }

absl::Status Database::Configure() {
  for (const Limit& limit : kLimits) sqlite3_limit(handle_, limit.id, limit.value);
  const std::string pragmas = absl::StrCat(
      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; "
      "PRAGMA cache_size = -2000; PRAGMA max_page_count = ",
      std::max<int64_t>(limits_.max_database_bytes / kPageSize, 1));
  RETURN_IF_ERROR(Execute(pragmas));
  for (const Switch& row : kSwitches) {
    const int result = sqlite3_db_config(handle_, row.id, row.on, nullptr);
    if (result != SQLITE_OK) return InternalFailure(*this, result);
  }
  // The only virtual tables are those that read a JSON text: the code of others cannot be reached.
  const char* kept[] = {"json_each", "json_tree", nullptr};
  sqlite3_drop_modules(handle_, kept);
  int added = AddBoundedFunctions(handle_, guard_);
  if (added == SQLITE_OK) added = AddJsonPathFunctions(handle_);
  if (added != SQLITE_OK) return InternalFailure(*this, added);
  sqlite3_progress_handler(handle_, kInstructionsBetweenLooks, AskGuard, &guard_);
  return absl::OkStatus();
}

absl::Status Database::Execute(const std::string& sql) {
  const int result = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? absl::OkStatus() : InternalFailure(*this, result);
}

absl::StatusOr<Prepared> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), 0, &statement, nullptr);
  if (result != SQLITE_OK) return InternalFailure(*this, result);
  return Prepared(statement);
}

absl::StatusOr<bool> Database::Step(sqlite3_stmt* statement) {
  const int result = sqlite3_step(statement);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return InternalFailure(*this, result);
}

std::string QuoteName(std::string_view name) {
  return absl::StrCat("\"", absl::StrReplaceAll(ToAbsl(name), {{"\"", "\"\""}}), "\"");
}

std::string_view ColumnText(sqlite3_stmt* statement, int column) {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (bytes == nullptr) return "";
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace toolgate::executors::sql::engine
