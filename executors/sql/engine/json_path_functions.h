#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_JSON_PATH_FUNCTIONS_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_JSON_PATH_FUNCTIONS_H_

#include <sqlite3.h>

namespace toolgate::executors::sql::engine {

// Maximum number of steps in a path of json_set or json_insert, such as 3 in $.a.b[0]; a dot or bracket in a quoted
// name counts too.
inline constexpr int kMaxPathSteps = 100;

// Replaces the functions of SQLite that create everything on their path (json_set, json_insert): they call themselves
// for each step, so that a path alone could use up the stack. The replacements refuse a path of more than kMaxPathSteps
// and otherwise give the same results. The other functions only follow a path through existing JSON, whose depth SQLite
// limits. Answers a result code of SQLite.
int AddJsonPathFunctions(sqlite3* db);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_JSON_PATH_FUNCTIONS_H_
