// A change to a private database in words.
#ifndef TOOLGATE_EXECUTORS_SQL_CHANGE_TEXT_H_
#define TOOLGATE_EXECUTORS_SQL_CHANGE_TEXT_H_

#include <cstdint>
#include <string>

#include "executors/sql/engine.h"

namespace toolgate::executors::sql {

enum class Tense { kWillDo, kDone };

// "Drop table ai_notes and its 12 rows; delete 3 rows of ai_tags", or "Inserted 2 rows into ai_notes". Empty when
// nothing changes.
std::string DescribeChange(const Outcome& outcome, Tense tense);

// Rows that are inserted, changed or deleted in all, those of dropped tables included; for a change too large to keep,
// only these.
int64_t CountChangedRows(const Outcome& outcome);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_CHANGE_TEXT_H_
