#include "executors/images/store_error.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"

namespace toolgate::executors::images {

absl::Status StoreError(std::string_view what, const absl::Status& status) {
  if (GetToolError(status).has_value()) return status;
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.message = absl::StrCat(ToAbsl(what), ": the blob store ", status.message());
  error.retryable = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  return ToStatus(error);
}

}  // namespace toolgate::executors::images
