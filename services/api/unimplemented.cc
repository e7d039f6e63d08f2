#include "services/api/unimplemented.h"

#include "common/tool_error.h"

namespace toolgate::services::api {

absl::Status Unimplemented(std::string_view message) {
  ToolError error;
  error.code = ErrorCode::kNotConfigured;
  error.message = message;
  error.refused_as = absl::StatusCode::kUnimplemented;
  return ToStatus(error);
}

}  // namespace toolgate::services::api
