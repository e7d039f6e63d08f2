#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_BOUNDED_FUNCTIONS_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_BOUNDED_FUNCTIONS_H_

#include <sqlite3.h>

#include "executors/sql/engine/statement_guard.h"

namespace toolgate::executors::sql::engine {

// Maximum length of a pattern of LIKE and GLOB.
inline constexpr int kMaxPatternBytes = 10'000;

// Replaces the functions of SQLite whose time grows faster than their arguments (instr, replace, trim, ltrim, rtrim,
// LIKE, GLOB) or with a number among them (printf, format), because one call of them could run for minutes without
// calling any callback. The replacements give the same results in linear time, and LIKE and GLOB ask `guard`, which
// must outlive the connection. Indexes are never used for LIKE or GLOB. Answers a result code of SQLite, as when its
// memory ends meanwhile.
int AddBoundedFunctions(sqlite3* db, StatementGuard& guard);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_BOUNDED_FUNCTIONS_H_
