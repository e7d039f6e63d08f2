#include "executors/blocks/integrity_conflict.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "executors/blocks/block_data.h"

namespace toolgate::executors::blocks {

std::string Name(const storage::Block& block) { return absl::StrCat(Describe(block), " (", block.id, ")"); }

absl::Status Conflict(const std::string& block_id, const std::string& change_id, std::string message) {
  ToolError error;
  error.code = ErrorCode::kConflict;
  error.message = std::move(message);
  error.facts = {{"blockId", block_id}};
  if (!change_id.empty()) error.facts.emplace_back("changeId", change_id);
  return ToStatus(error);
}

absl::Status Conflict(const storage::Block& obstacle, std::string message) {
  return Conflict(obstacle.id, obstacle.change_id, std::move(message));
}

}  // namespace toolgate::executors::blocks
