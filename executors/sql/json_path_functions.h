#ifndef TOOLGATE_EXECUTORS_SQL_JSON_PATH_FUNCTIONS_H_
#define TOOLGATE_EXECUTORS_SQL_JSON_PATH_FUNCTIONS_H_

#include <sqlite3.h>

#include "absl/status/status.h"

namespace toolgate::executors::sql {

// The most steps that a path of json_set or json_insert has, such as 3 of $.a.b[0]; a dot or bracket in a quoted name
// counts too.
inline constexpr int kMaxPathSteps = 100;

// Replaces the functions of SQLite that make whatever their path says (json_set, json_insert): they call themselves for
// each step, so that a path alone could use up the stack. Ours refuse a path of more than kMaxPathSteps and answer the
// same otherwise. The other functions only follow a path, no deeper than the JSON that is there, which SQLite bounds.
absl::Status AddJsonPathFunctions(sqlite3* db);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_JSON_PATH_FUNCTIONS_H_
