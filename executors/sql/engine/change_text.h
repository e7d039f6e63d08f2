// A change to a private database in words.
#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_TEXT_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_TEXT_H_

#include <cstdint>
#include <string>

#include "executors/sql/engine/engine.h"

namespace toolgate::executors::sql::engine {

enum class Tense { kWillDo, kDone };

// "Drop table ai_notes and its 12 rows; delete 3 rows of ai_tags", or "Inserted 2 rows into ai_notes". Empty if nothing
// changes.
std::string DescribeChange(const Outcome& outcome, Tense tense);

// Total number of rows inserted, changed or deleted, including those of dropped tables; for a change too large to keep,
// only the latter.
int64_t CountChangedRows(const Outcome& outcome);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_TEXT_H_
