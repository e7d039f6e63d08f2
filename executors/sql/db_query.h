#ifndef TOOLGATE_EXECUTORS_SQL_DB_QUERY_H_
#define TOOLGATE_EXECUTORS_SQL_DB_QUERY_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "executors/sql/engine/engine.h"
#include "executors/tool.h"

namespace toolgate::executors::sql {

// The kind of a statement's effect; its payload is a serialised toolgate.internal.v1.SqlChange.
inline constexpr std::string_view kSqlEffect = "sql";

// Runs the statement on the snapshot's pages; the commit only writes the changed ones.
absl::StatusOr<Plan> DbQuery(const engine::Engine& engine, ToolContext& context, storage::ReadView& view);

// A schema change needs a person's approval; this runs it on the snapshot to show its effect.
absl::StatusOr<Preview> PreviewDbQuery(const engine::Engine& engine, ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_DB_QUERY_H_
