// Destination of a failure's full details when its caller only gets a reference.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_ERROR_LOG_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_ERROR_LOG_H_

#include <string_view>

#include "absl/status/status.h"
#include "security/tool_call.h"

namespace toolgate::security::safe_errors {

// Read by the operator. Implementations are thread-safe.
class ErrorLog {
 public:
  virtual ~ErrorLog() = default;

  // `status` is the original failure, except that secrets are masked.
  virtual void Report(std::string_view reference_id, const ToolCall& call, const absl::Status& status) = 0;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_ERROR_LOG_H_
