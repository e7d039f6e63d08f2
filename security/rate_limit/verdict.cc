#include "security/rate_limit/verdict.h"

#include "common/tool_error.h"

namespace toolgate::security::rate_limit {

Verdict VerdictOn(const ToolCall& call, const absl::StatusOr<ToolResult>& result) {
  if (!result.ok() || result->confirmation.has_value() || result->replayed) return Verdict::kNone;
  if (result->success) return Verdict::kSuccess;
  // A failure without an error is an unforeseen fault of the tool.
  const ToolError error = result->error.value_or(ToolError());
  if (SparesTool(error) || call.cancellation.EndedByCaller()) return Verdict::kNone;
  if (result->failure_cause == FailureCause::kStep) return Verdict::kNone;
  const bool by_time = error.code == ErrorCode::kTimeout || result->failure_cause == FailureCause::kInterrupted;
  const bool depends_on_provider = !call.tool->definition.provider.empty();
  if (by_time && (call.cancellation.DeadlineIsCallers() || !depends_on_provider)) return Verdict::kNone;
  return Verdict::kFailure;
}

}  // namespace toolgate::security::rate_limit
