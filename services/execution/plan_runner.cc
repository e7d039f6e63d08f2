#include "services/execution/plan_runner.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/execution/call_frame.h"
#include "storage/fault.h"
#include "storage/snapshot_revoked.h"

namespace toolgate::services::execution {
namespace {

using executors::ToolOutput;
using security::ToolCall;
using security::ToolResult;

// Number of times that a plan is made beside others, and number of all times. Those between are made in turn, so that
// only calls under way and other replicas can make one come out of date.
constexpr int kFreePlans = 3;
constexpr int kMaxPlans = 16;

// A plan depends on what calls of the same tool write for the same user.
std::string TurnOf(const ToolCall& call) {
  return absl::StrCat(call.tool->definition.id, " ", call.caller.workspace_id, " ", call.caller.user_id);
}

ToolError TooManyWriters(const ToolCall& call) {
  ToolError error;
  error.code = ErrorCode::kConflict;
  error.message = absl::StrCat("nothing was changed: what ", call.tool->definition.id,
                               " works on was changed by other calls each time before it could commit, ", kMaxPlans,
                               " times; repeat it when they have ended");
  error.retryable = true;
  return error;
}

}  // namespace

absl::StatusOr<ToolResult> PlanRunner::Run(ToolCall& call) const {
  const std::string key = TurnOf(call);
  std::optional<PlanTurns::Turn> turn;
  for (int attempt = 1; attempt <= kMaxPlans; ++attempt) {
    if (attempt <= kFreePlans) {
      RETURN_IF_ERROR(turns_.Pass(key, call.cancellation));
    } else if (!turn.has_value()) {
      ASSIGN_OR_RETURN(PlanTurns::Turn taken, turns_.Take(key, call.cancellation));
      turn.emplace(std::move(taken));
    }
    ToolResult result;
    result.started_at = environment_.clock.Now();
    Planned planned = absl::UnknownError("the tool did not run");
    RETURN_IF_ERROR(MakePlan(call, planned));
    const bool writes = planned.ok() && planned->commit != nullptr;
    if (!writes && !NeedsCommit(call)) {
      const absl::StatusOr<ToolOutput> output =
          planned.ok() ? absl::StatusOr<ToolOutput>(std::move(planned->output)) : planned.status();
      RETURN_IF_ERROR(reads_.Answer(call, output, result));
      return result;
    }
    absl::StatusOr<ToolResult> done = transactions_.Run(call, &planned);
    if (done.ok() || !IsOutOfDate(done.status())) return done;
  }
  return ToStatus(TooManyWriters(call));
}

absl::Status PlanRunner::MakePlan(ToolCall& call, Planned& planned) const {
  executors::ToolContext context = ToolContextOf(call, environment_);
  absl::Status as_approved = absl::OkStatus();
  bool ran = false;
  const auto plan = [&] {
    return environment_.store.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) {
      as_approved = frame_.CheckState(call, view);
      RETURN_IF_ERROR(as_approved);
      ran = true;
      planned = std::get<executors::PlanHandler>(call.tool->handlers.run)(context, view);
      return planned.status();
    });
  };
  absl::Status status = plan();
  if (storage::IsSnapshotRevoked(status)) status = plan();
  if (storage::IsSnapshotRevoked(status)) planned = status;  // Replaces what the tool made of it.
  if (GetToolError(as_approved).has_value()) return as_approved;
  if (!ran) return call.state.store_fault = status;
  if (storage::IsFault(planned.status())) return call.state.store_fault = planned.status();
  return absl::OkStatus();
}

}  // namespace toolgate::services::execution
