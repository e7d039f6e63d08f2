#include "storage/snapshot_revoked.h"

#include <optional>

#include "common/tool_error.h"

namespace toolgate::storage {
namespace {

constexpr char kMessage[] =
    "the read lasted while much was written, and its view of the workspace could not be kept any longer; repeat it, "
    "and "
    "ask for less at once if it fails again";

}  // namespace

absl::Status SnapshotRevoked() {
  ToolError error;
  error.code = ErrorCode::kConflict;
  error.message = kMessage;
  error.retryable = true;
  error.refused_as = absl::StatusCode::kAborted;
  return ToStatus(error);
}

bool IsSnapshotRevoked(const absl::Status& status) {
  if (status.ok()) return false;
  const std::optional<ToolError> error = GetToolError(status);
  return error.has_value() && error->code == ErrorCode::kConflict && error->message == kMessage;
}

}  // namespace toolgate::storage
