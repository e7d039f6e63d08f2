// Meaning of SQLite's failures: for the caller if the statement is at fault, otherwise for the operator.
#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_SQL_ERROR_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_SQL_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace toolgate::executors::sql::engine {

class Database;

// Prefix of the names of everything that a caller may touch, in upper or lower case.
inline constexpr std::string_view kOwnPrefix = "ai_";
bool IsOwnName(std::string_view name);

// A name or message with text of the caller's, shortened if it is too long to be shown.
std::string Shortened(std::string_view text);

// INVALID_PARAMS with one violation at "/sql".
absl::Status InvalidSql(std::string_view problem);

// FORBIDDEN: `what` ("the table \"chats\"") is not available to this tool.
absl::Status NotForThisTool(std::string_view what);

// QUOTA_EXCEEDED for a limit that the same statement would hit again: a retry does not help.
absl::Status TooMuch(std::string_view problem);

// `result` came from a caller's statement, and is for the caller: TIMEOUT, QUOTA_EXCEEDED, CONFLICT (constraints),
// FORBIDDEN or INVALID_PARAMS. Only failures of the store and a damaged database are for the operator.
absl::Status StatementFailure(Database& database, int result);

// `result` came from our own SQL. TIMEOUT, QUOTA_EXCEEDED, or for the operator.
absl::Status InternalFailure(Database& database, int result);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_SQL_ERROR_H_
