// Runs a call through every layer.
#ifndef TOOLGATE_SERVICES_EXECUTION_CALL_RUNNER_H_
#define TOOLGATE_SERVICES_EXECUTION_CALL_RUNNER_H_

#include "absl/status/statusor.h"
#include "security/tool_call.h"

namespace toolgate::services::execution {

// The pipeline, as an automation sees it that calls other tools. Thread-safe.
class CallRunner {
 public:
  // A refusal is an error, already safe to show.
  virtual absl::StatusOr<security::ToolResult> RunCall(security::ToolCall& call) = 0;

 protected:
  ~CallRunner() = default;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_CALL_RUNNER_H_
