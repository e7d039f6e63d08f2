// Rows of a private database as bytes: each value with its exact type, so that equal bytes are equal rows.
#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_RECORD_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_RECORD_H_

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::executors::sql::engine {

// Appends `value`.
void AppendValue(sqlite3_value* value, std::string& record);

// A record of one integer.
std::string IntegerRecord(int64_t value);

// The columns [first, first + count) of the current row of `statement`.
std::string RowRecord(sqlite3_stmt* statement, int first, int count);

// The encoded values of a record one by one, borrowed from it. DATA_LOSS if the bytes are not a record.
absl::StatusOr<std::vector<std::string_view>> SplitRecord(std::string_view record);

// The first `count` values of a record, borrowed from it; all of them if there are fewer.
std::string_view FirstValues(std::string_view record, size_t count);

// Binds an encoded value, borrowed until the statement is reset.
absl::Status BindValue(sqlite3_stmt* statement, int index, std::string_view value);

// An encoded value for people: 12, 1.5, 'text' (cut when long), a blob's size, NULL.
std::string ShowValue(std::string_view value);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_RECORD_H_
