#include "executors/sql/engine/json_path_functions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "executors/sql/engine/database.h"

namespace toolgate::executors::sql::engine {
namespace {

// SQLite's mark for a text that is JSON already, made by one of its functions.
constexpr unsigned kJsonSubtype = 'J';

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};

// SQLite's own function of a name. Our replacement hides it on a caller's connection, so it is called on another one,
// which is opened on first use and has an empty database in memory.
class BuiltIn {
 public:
  explicit BuiltIn(const char* name) : name_(name) {}

  const char* name() const { return name_; }

  // Gives `context` the function's result.
  void Call(sqlite3_context* context, int count, sqlite3_value** arguments) {
    const int result = Run(context, count, arguments);
    if (result == SQLITE_ROW) {
      sqlite3_value* const answer = sqlite3_column_value(statement_.get(), 0);
      sqlite3_result_value(context, answer);
      sqlite3_result_subtype(context, sqlite3_value_subtype(answer));
    } else {
      if (db_ != nullptr) sqlite3_result_error(context, sqlite3_errmsg(db_.get()), -1);
      if (result != SQLITE_ERROR) sqlite3_result_error_code(context, result);
    }
    if (statement_ == nullptr) return;
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
  }

 private:
  int Run(sqlite3_context* context, int count, sqlite3_value** arguments) {
    if (const int opened = Open(context); opened != SQLITE_OK) return opened;
    if (const int prepared = Prepare(count, arguments); prepared != SQLITE_OK) return prepared;
    for (int i = 0; i < count; ++i) {
      if (const int bound = sqlite3_bind_value(statement_.get(), i + 1, arguments[i]); bound != SQLITE_OK) return bound;
    }
    return sqlite3_step(statement_.get());
  }

  int Open(sqlite3_context* context) {
    if (db_ != nullptr) return SQLITE_OK;
    sqlite3* opened = nullptr;
    const int result =
        sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
    db_.reset(opened);
    if (result != SQLITE_OK) return result;
    sqlite3* const callers = sqlite3_context_db_handle(context);
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, sqlite3_limit(callers, SQLITE_LIMIT_LENGTH, -1));
    return SQLITE_OK;
  }

  // Most rows use the same statement. Binding a value drops its mark: json() restores it.
  int Prepare(int count, sqlite3_value** arguments) {
    std::string sql = absl::StrCat("SELECT ", name_, "(");
    for (int i = 0; i < count; ++i) {
      const bool is_json = sqlite3_value_subtype(arguments[i]) == kJsonSubtype;
      absl::StrAppend(&sql, i == 0 ? "" : ", ", is_json ? "json(?)" : "?");
    }
    sql += ')';
    if (statement_ != nullptr && sql == sqlite3_sql(statement_.get())) return SQLITE_OK;
    sqlite3_stmt* made = nullptr;
    const int result = sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &made, nullptr);
    statement_.reset(made);
    return result;
  }

  const char* const name_;
  std::unique_ptr<sqlite3, CloseDatabase> db_;
  Prepared statement_;
};

bool IsTooDeep(sqlite3_value* path) {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_value_text(path));
  if (bytes == nullptr) return false;
  const std::string_view text(bytes, static_cast<size_t>(sqlite3_value_bytes(path)));
  return std::count_if(text.begin(), text.end(), [](char c) { return c == '.' || c == '['; }) > kMaxPathSteps;
}

// name(JSON, path, value, path, value, …).
void SetAtPaths(sqlite3_context* context, int count, sqlite3_value** arguments) {
  auto& built_in = *static_cast<BuiltIn*>(sqlite3_user_data(context));
  for (int i = 1; i < count; i += 2) {
    if (!IsTooDeep(arguments[i])) continue;
    const std::string problem = absl::StrCat(built_in.name(), "(): a path has at most ", kMaxPathSteps, " steps");
    return sqlite3_result_error(context, problem.c_str(), -1);
  }
  built_in.Call(context, count, arguments);
}

}  // namespace

int AddJsonPathFunctions(sqlite3* db) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE;
  for (const char* const name : {"json_set", "json_insert"}) {
    // SQLite destroys it with the connection, and also if it rejects the function.
    const int result = sqlite3_create_function_v2(db, name, -1, kFlags, new BuiltIn(name), SetAtPaths, nullptr, nullptr,
                                                  [](void* built_in) { delete static_cast<BuiltIn*>(built_in); });
    if (result != SQLITE_OK) return result;
  }
  return SQLITE_OK;
}

}  // namespace toolgate::executors::sql::engine
