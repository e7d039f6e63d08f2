#include "executors/sql/engine/sql_error.h"

#include <sqlite3.h>

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/sql/engine/database.h"

namespace toolgate::executors::sql::engine {
namespace {

constexpr size_t kMaxShown = 200;

// Failures that are not due to the statement's text; nothing for others.
std::optional<absl::Status> CommonFailure(Database& database, int result) {
  if (!database.file().status().ok()) return database.file().status();
  if (!database.guard().status().ok()) return database.guard().status();
  const SqlLimits& limits = database.limits();
  switch (result & 0xff) {
    case SQLITE_NOMEM:
      return TooMuch(absl::StrCat("the statement needs more than ", limits.max_memory_bytes >> 20,
                                  " MiB of memory; let it sort, group or join fewer rows at a time"));
    case SQLITE_FULL:
      return TooMuch(absl::StrCat("the database may have ", limits.max_database_bytes >> 10,
                                  " KiB and has no room for this; delete rows or tables first"));
    case SQLITE_TOOBIG:
      return TooMuch(absl::StrCat("a value, a row or the statement is longer than ",
                                  sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, -1) >> 10, " KiB"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(absl::StrCat("a private database is damaged: ", sqlite3_errmsg(database.handle())));
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_MISUSE:
    case SQLITE_INTERNAL:
      return absl::InternalError(absl::StrCat("private database: ", sqlite3_errmsg(database.handle()), " (",
                                              sqlite3_extended_errcode(database.handle()), ")"));
    default:
      return std::nullopt;
  }
}

// The name of a table that SQLite did not find, if this tool never has one of that name; nothing otherwise.
std::optional<std::string> ForeignTable(absl::string_view message) {
  if (!absl::ConsumePrefix(&message, "no such table: ")) return std::nullopt;
  absl::ConsumePrefix(&message, "main.");
  if (IsOwnName(FromAbsl(message))) return std::nullopt;
  return std::string(message);
}

// Refusals that SQLite makes itself, before it asks the authoriser: its own tables, names and views.
bool IsAboutProtectedObjects(absl::string_view message) {
  return absl::StartsWith(message, "object name reserved for internal use") ||
         (absl::StartsWith(message, "table sqlite_") && absl::StrContains(message, "may not be"));
}

std::string Place(sqlite3* db) {
  const int offset = sqlite3_error_offset(db);
  return offset < 0 ? "" : absl::StrCat(" (at byte ", offset + 1, " of the statement)");
}

std::string Hint(absl::string_view message) {
  if (absl::StartsWith(message, "no such column: ")) return "; text is written in single quotes: 'text'";
  if (absl::StartsWith(message, "no such table: "))
    return "; the table sqlite_schema lists what there is, by name and sql";
  if (absl::StartsWith(message, "no such module: ")) return "; virtual tables are not available";
  return "";
}

}  // namespace

absl::Status TooMuch(std::string_view problem) {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = problem;
  return ToStatus(error);
}

bool IsOwnName(std::string_view name) { return absl::StartsWithIgnoreCase(ToAbsl(name), ToAbsl(kOwnPrefix)); }

std::string Shortened(std::string_view text) {
  if (text.size() <= kMaxShown) return std::string(text);
  std::string_view shown = text.substr(0, kMaxShown);
  // Does not cut a character in two.
  while (!shown.empty() && (static_cast<unsigned char>(text[shown.size()]) & 0xC0) == 0x80) shown.remove_suffix(1);
  return absl::StrCat(ToAbsl(shown), "…");
}

absl::Status InvalidSql(std::string_view problem) {
  return InvalidArgument("/sql", "sql", problem, "one SQLite statement on tables whose names begin with ai_");
}

absl::Status NotForThisTool(std::string_view what) {
  return MakeError(ErrorCode::kForbidden,
                   absl::StrCat(ToAbsl(what),
                                " is not for this tool: it reads and writes only tables of its own, and the names of "
                                "these, of their indexes, views and triggers begin with ai_"));
}

absl::Status StatementFailure(Database& database, int result) {
  if (const std::optional<absl::Status> common = CommonFailure(database, result)) return *common;
  const std::string message = Shortened(sqlite3_errmsg(database.handle()));
  if ((result & 0xff) == SQLITE_CONSTRAINT) {
    return MakeError(ErrorCode::kConflict, absl::StrCat("nothing was changed: ", message));
  }
  if (const std::optional<std::string> table = ForeignTable(message)) {
    return NotForThisTool(absl::StrCat("the table \"", *table, "\""));
  }
  if (absl::StartsWith(message, "unsafe use of ")) {
    return MakeError(ErrorCode::kForbidden,
                     absl::StrCat(message, ": it is not available in views, triggers and tables"));
  }
  if (IsAboutProtectedObjects(message)) {
    return MakeError(ErrorCode::kForbidden, absl::StrCat(message, "; tables of SQLite's own can only be read"));
  }
  return InvalidSql(absl::StrCat(message, Place(database.handle()), Hint(message)));
}

absl::Status InternalFailure(Database& database, int result) {
  if (const std::optional<absl::Status> common = CommonFailure(database, result)) return *common;
  return absl::InternalError(absl::StrCat("private database: ", sqlite3_errmsg(database.handle()), " (", result, ")"));
}

}  // namespace toolgate::executors::sql::engine
