#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_PRINTF_FUNCTION_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_PRINTF_FUNCTION_H_

#include <sqlite3.h>

namespace toolgate::executors::sql::engine {

// printf(FORMAT, …), also known as format, as in SQLite, with one exception: a width or precision beyond the longest
// value is "string or blob too big". SQLite 3.40 counts a precision of %c down one by one, up to two thousand million.
void Printf(sqlite3_context* context, int count, sqlite3_value** arguments);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_PRINTF_FUNCTION_H_
