// What a statement did to a private database: found out, told, and taken back.
#ifndef TOOLGATE_EXECUTORS_SQL_CHANGE_H_
#define TOOLGATE_EXECUTORS_SQL_CHANGE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/change_recorder.h"
#include "executors/sql/database.h"
#include "toolgate/internal/v1/sql.pb.h"

namespace toolgate::executors::sql {

// The difference between two states of a database: `before`, and `after`, on which `recorder` listened. Nothing when it
// holds more than `max_bytes` of rows. `schema` says whether the schema may have changed.
absl::StatusOr<std::optional<internal::v1::SqlChange>> FindChange(Database& before, Database& after,
                                                                  const ChangeRecorder& recorder, bool schema,
                                                                  int64_t max_bytes);

// True when nothing differs.
bool IsEmpty(const internal::v1::SqlChange& change);

// Puts everything back to what it was before `change`, in one transaction of `database`. Every row, table and other
// object must be as the change left it; CONFLICT, naming the table and the row, when one is not, or when a foreign key
// would lead nowhere. All or nothing. No trigger and no foreign-key action runs.
absl::Status ApplyInverse(Database& database, const internal::v1::SqlChange& change);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_CHANGE_H_
