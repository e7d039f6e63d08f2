// Where the full story of a failure goes when its caller is told only a reference.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_ERROR_LOG_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_ERROR_LOG_H_

#include <string_view>

#include "absl/status/status.h"
#include "security/tool_call.h"

namespace toolgate::security::safe_errors {

// The operator's side. Implementations are thread-safe.
class ErrorLog {
 public:
  virtual ~ErrorLog() = default;

  // `status` is the failure as it was, but for secrets, which are masked.
  virtual void Report(std::string_view reference_id, const ToolCall& call, const absl::Status& status) = 0;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_ERROR_LOG_H_
