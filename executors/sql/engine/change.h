// Finds, describes and takes back the changes that a statement made to a private database.
#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/sql/engine/change_recorder.h"
#include "executors/sql/engine/database.h"
#include "toolgate/internal/v1/sql.pb.h"

namespace toolgate::executors::sql::engine {

// The difference between two states of a database: `before`, and `after`, to which `recorder` listened. Nothing if it
// has more than `max_bytes` of rows. `schema` says whether the schema may have changed.
absl::StatusOr<std::optional<internal::v1::SqlChange>> FindChange(Database& before, Database& after,
                                                                  const ChangeRecorder& recorder, bool schema,
                                                                  int64_t max_bytes);

// True if nothing differs.
bool IsEmpty(const internal::v1::SqlChange& change);

// Restores the state before `change`, in one transaction of `database`. Every row, table and other object must be as
// the change left it; CONFLICT names the table and the row if one is not, or if a foreign key would dangle. All or
// nothing. Runs no triggers and no foreign-key actions.
absl::Status ApplyInverse(Database& database, const internal::v1::SqlChange& change);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_CHANGE_H_
