// Effects of statements on private databases, and their reversal.
#ifndef TOOLGATE_EXECUTORS_SQL_SQL_EFFECT_H_
#define TOOLGATE_EXECUTORS_SQL_SQL_EFFECT_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "executors/sql/engine/engine.h"
#include "executors/tool.h"
#include "storage/changes.h"
#include "toolgate/internal/v1/sql.pb.h"

namespace toolgate::executors::sql {

// The effect that undo keeps of a change; nothing when there is nothing to take back.
absl::StatusOr<std::optional<storage::Effect>> ToSqlEffect(const std::optional<internal::v1::SqlChange>& change);

// For effects of kind kSqlEffect. Reverses them one after the other, each on the pages that the one before has left;
// what it writes at the end is the last state of all of them. CONFLICT names table and row if something has changed
// since; otherwise a ToolError or the store's failure.
Reverser SqlReverser(const std::shared_ptr<const engine::Engine>& engine);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_SQL_EFFECT_H_
