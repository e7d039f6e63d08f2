#ifndef TOOLGATE_EXECUTORS_SQL_BOUNDED_FUNCTIONS_H_
#define TOOLGATE_EXECUTORS_SQL_BOUNDED_FUNCTIONS_H_

#include <sqlite3.h>

#include "absl/status/status.h"
#include "executors/sql/watch.h"

namespace toolgate::executors::sql {

// The longest pattern of LIKE and GLOB.
inline constexpr int kMaxPatternBytes = 10'000;

// Replaces the functions of SQLite whose time grows faster than their arguments (instr, replace, trim, ltrim, rtrim,
// LIKE, GLOB) or with a number among them (printf, format), since one call of them could run for minutes without asking
// anybody. Ours answer the same; they take linear time, and LIKE and GLOB ask `watch`, which outlives the connection.
// An index never serves LIKE or GLOB.
absl::Status AddBoundedFunctions(sqlite3* db, Watch& watch);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_BOUNDED_FUNCTIONS_H_
