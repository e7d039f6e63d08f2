#ifndef TOOLGATE_EXECUTORS_SQL_ROW_GATHERER_H_
#define TOOLGATE_EXECUTORS_SQL_ROW_GATHERER_H_

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "executors/sql/sql_limits.h"

namespace toolgate::executors::sql {

// Gathers the rows that a statement gives, as JSON, within the bounds of an answer; what is beyond them is only
// counted.
//
// An integer is a JSON integer of up to 64 bits, also beyond 2^53, where readers that know only doubles round it. A
// real is a number, and null when it is infinite. A blob is {"base64": "…"}. Columns of one name are told apart by a
// suffix.
class RowGatherer {
 public:
  RowGatherer(sqlite3_stmt* statement, const SqlLimits& limits);

  // The row that the statement stands at.
  void Add();
  int64_t count() const { return count_; }
  bool truncated() const { return truncated_; }
  // The array.
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

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_ROW_GATHERER_H_
