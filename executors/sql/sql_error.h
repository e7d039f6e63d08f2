// What a failure of SQLite means: for the caller where it is the statement's, for the operator where it is not.
#ifndef TOOLGATE_EXECUTORS_SQL_SQL_ERROR_H_
#define TOOLGATE_EXECUTORS_SQL_SQL_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace toolgate::executors::sql {

class Database;

// The name of everything that a caller may touch begins with this, in upper or lower case.
inline constexpr std::string_view kOwnPrefix = "ai_";
bool IsOwnName(std::string_view name);

// A name or a message that holds text of the caller's, cut where it is too long to be shown.
std::string Shortened(std::string_view text);

// INVALID_PARAMS with one violation at "/sql".
absl::Status InvalidSql(std::string_view problem);

// FORBIDDEN: `what` ("the table \"chats\"") is not for this tool.
absl::Status NotForThisTool(std::string_view what);

// QUOTA_EXCEEDED by a bound that the same statement would meet again: a retry does not help.
absl::Status TooMuch(std::string_view problem);

// `result` came from a caller's statement, and is for the caller: TIMEOUT, QUOTA_EXCEEDED, CONFLICT (constraints),
// FORBIDDEN or INVALID_PARAMS. Only what the store did, and a damaged database, is for the operator.
absl::Status StatementFailure(Database& database, int result);

// `result` came from SQL of our own. TIMEOUT, QUOTA_EXCEEDED, or for the operator.
absl::Status InternalFailure(Database& database, int result);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_SQL_ERROR_H_
