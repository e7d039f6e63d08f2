#include "services/execution/execution.h"

#include <optional>
#include <utility>
#include <variant>

#include "common/status_macros.h"

namespace toolgate::services::execution {

using security::ToolCall;
using security::ToolResult;

Execution::Execution(const Environment& environment, RunningClaims& running)
    : environment_(environment), effects_(environment_, frame_, reads_, running) {}

absl::StatusOr<ToolResult> Execution::Run(ToolCall& call) const {
  RETURN_IF_ERROR(call.cancellation.Check());
  if (call.dry_run) RETURN_IF_ERROR(frame_.UseConfirmationBefore(call));
  if (call.on_started != nullptr) call.on_started();
  if (call.transaction() != nullptr) {
    if (!call.step_of->charged_before) call.step_of->ledger->NoteCharged(call.tool_id);
    return transactions_.RunStep(call);
  }
  if (call.dry_run) {
    ASSIGN_OR_RETURN(std::optional<ToolResult> rehearsed, reads_.Rehearse(call));
    if (rehearsed.has_value()) return *std::move(rehearsed);
  }
  const auto& handler = call.tool->handlers.run;
  if (const auto* effect = std::get_if<executors::EffectHandler>(&handler)) return effects_.Run(call, *effect);
  if (const auto* flexible = std::get_if<executors::FlexibleHandler>(&handler)) return RunFlexible(call, *flexible);
  if (std::holds_alternative<executors::PlanHandler>(handler)) return plans_.Run(call);
  if (std::holds_alternative<executors::ReadHandler>(handler) && !NeedsCommit(call)) return reads_.Run(call);
  return transactions_.Run(call);
}

absl::StatusOr<ToolResult> Execution::RunFlexible(ToolCall& call, const executors::FlexibleHandler& handler) const {
  executors::ToolContext context = ToolContextOf(call, environment_);
  bool needs_effect = false;
  const auto ask = [&](storage::ReadView& view) -> absl::Status {
    // A failure to answer here is left to the tool itself to report.
    needs_effect = handler.needs_effect(context, view).value_or(false);
    return absl::OkStatus();
  };
  if (handler.needs_effect != nullptr) {
    RETURN_IF_ERROR(environment_.store.Read(call.caller.workspace_id, call.patience(), ask));
  }
  if (!needs_effect) {
    absl::StatusOr<ToolResult> done = handler.apply != nullptr && !call.dry_run
                                          ? transactions_.RunTried(call, handler.apply)
                                          : transactions_.Run(call);
    if (done.ok() || !IsOutOfDate(done.status())) return done;
  }
  return effects_.Run(call, handler.as_effect);
}

}  // namespace toolgate::services::execution
