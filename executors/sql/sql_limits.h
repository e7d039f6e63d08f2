#ifndef TOOLGATE_EXECUTORS_SQL_SQL_LIMITS_H_
#define TOOLGATE_EXECUTORS_SQL_SQL_LIMITS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace toolgate::executors::sql {

// The bounds of one statement. The values here are those of tests and of a catalogue made without a configuration.
struct SqlLimits {
  int64_t max_rows = 1000;                         // Rows of an answer.
  int64_t max_answer_bytes = int64_t{256} << 10;   // All rows of an answer as JSON.
  absl::Duration max_time = absl::Seconds(5);      // Compiling and running.
  int64_t max_database_bytes = int64_t{16} << 20;  // The private database after the statement.
  int64_t max_memory_bytes = int64_t{64} << 20;    // What SQLite allocates: caches, sorting, temporary tables, values.
  int64_t max_undo_bytes = int64_t{8} << 20;       // What undo keeps of one change.
};

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_SQL_LIMITS_H_
