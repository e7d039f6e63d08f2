#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_ROW_GATHERER_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_ROW_GATHERER_H_

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "executors/sql/engine/sql_limits.h"

namespace toolgate::executors::sql::engine {

// Gathers the rows of a statement as JSON, within the limits of an answer; further rows are only counted.
//
// An integer is a JSON integer of up to 64 bits, also beyond 2^53, where readers that know only doubles round it. A
// real is a number, or null if it is infinite. A blob is {"base64": "…"}. Columns with the same name are distinguished
// by a suffix.
class RowGatherer {
 public:
  RowGatherer(sqlite3_stmt* statement, const SqlLimits& limits);

  // Adds the current row of the statement.
  void Add();
  int64_t count() const { return count_; }
  bool truncated() const { return truncated_; }
  // Returns the array.
  Json TakeRows() { return std::move(rows_); }

 private:
  sqlite3_stmt* const statement_;
  const SqlLimits limits_;
  std::vector<std::string> names_;
  Json rows_ = Json::array();
  int64_t bytes_ = 0;
  int64_t count_ = 0;
  bool truncated_ = false;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_ROW_GATHERER_H_
