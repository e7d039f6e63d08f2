// Error messages of the checks of an undo.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_CONFLICT_H_
#define TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_CONFLICT_H_

#include <string>

#include "absl/status/status.h"
#include "storage/block.h"

namespace toolgate::executors::blocks {

// `kanban_card "Ship it" (01jq…)`.
std::string Name(const storage::Block& block);

// `change_id`: of the change that caused the conflict; empty if it left no trace.
absl::Status Conflict(const std::string& block_id, const std::string& change_id, std::string message);
absl::Status Conflict(const storage::Block& obstacle, std::string message);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_CONFLICT_H_
