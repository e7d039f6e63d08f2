#ifndef TOOLGATE_EXECUTORS_MEMORY_UPDATE_DB_SCHEMA_H_
#define TOOLGATE_EXECUTORS_MEMORY_UPDATE_DB_SCHEMA_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::memory {

// Replaces the model's notes on the tables of its database.
absl::StatusOr<ToolOutput> UpdateDbSchema(ToolContext& context, storage::Transaction& transaction);
absl::StatusOr<Preview> PreviewUpdateDbSchema(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_UPDATE_DB_SCHEMA_H_
