// Tools that read a snapshot.
#ifndef TOOLGATE_SERVICES_EXECUTION_READ_RUNNER_H_
#define TOOLGATE_SERVICES_EXECUTION_READ_RUNNER_H_

#include <optional>

#include "absl/status/statusor.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"
#include "services/execution/kept_results.h"

namespace toolgate::services::execution {

// Runs a ReadHandler that has nothing to commit. Borrows everything; thread-safe.
class ReadRunner {
 public:
  ReadRunner(const Environment& environment, const KeptResults& kept_results)
      : environment_(environment), kept_results_(kept_results) {}

  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call) const;

  // A dry run on a snapshot; nothing when it is to be tried in a transaction instead, or its tool has no such way.
  absl::StatusOr<std::optional<security::ToolResult>> Rehearse(security::ToolCall& call) const;

  // The end of every call that commits nothing of its own: fills `result`, takes in text from outside, and cuts.
  absl::Status Answer(security::ToolCall& call, const absl::StatusOr<executors::ToolOutput>& output,
                      security::ToolResult& result) const;
  // The same for a result that is filled.
  absl::Status Bound(security::ToolCall& call, security::ToolResult& result) const;

 private:
  const Environment& environment_;
  const KeptResults& kept_results_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_READ_RUNNER_H_
