#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_SQL_LIMITS_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_SQL_LIMITS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace toolgate::executors::sql::engine {

// The bounds of one statement, those of SqlSettings.
struct SqlLimits {
  int64_t max_rows;            // Rows of an answer.
  int64_t max_answer_bytes;    // All rows of an answer as JSON.
  absl::Duration max_time;     // Compiling and running.
  int64_t max_database_bytes;  // The private database after the statement.
  int64_t max_memory_bytes;    // Allocations of SQLite: caches, sorting, temporary tables, values.
  int64_t max_undo_bytes;      // Undo data of one change.
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_SQL_LIMITS_H_
