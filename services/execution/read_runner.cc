#include "services/execution/read_runner.h"

#include <utility>
#include <variant>

#include "common/status_macros.h"
#include "services/execution/call_frame.h"
#include "storage/fault.h"
#include "storage/snapshot_revoked.h"

namespace toolgate::services::execution {

using executors::ToolOutput;
using security::ToolCall;
using security::ToolResult;

absl::StatusOr<ToolResult> ReadRunner::Run(ToolCall& call) const {
  executors::ToolContext context = ToolContextOf(call, environment_);
  absl::StatusOr<ToolResult> result{ToolResult()};
  result->started_at = environment_.clock.Now();
  absl::StatusOr<ToolOutput> output;
  bool ran = false;
  const auto read = [&] {
    return environment_.store.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) {
      ran = true;
      output = std::get<executors::ReadHandler>(call.tool->handlers.run)(context, view);
      return output.status();
    });
  };
  absl::Status status = read();
  if (storage::IsSnapshotRevoked(status)) status = read();
  if (storage::IsSnapshotRevoked(status)) output = status;  // Replaces what the tool made of it.
  // One return, so that the result is built in place.
  if (ran && storage::IsFault(output.status())) {
    status = call.state.store_fault = output.status();
  } else if (ran) {
    status = Answer(call, output, *result);
  }
  if (!status.ok()) result = std::move(status);
  return result;
}

absl::StatusOr<std::optional<ToolResult>> ReadRunner::Rehearse(ToolCall& call) const {
  if (call.tool->handlers.rehearse == nullptr) return std::nullopt;
  executors::ToolContext context = ToolContextOf(call, environment_);
  ToolResult result;
  result.started_at = environment_.clock.Now();
  absl::StatusOr<std::optional<executors::Rehearsal>> rehearsal;
  bool ran = false;
  const absl::Status status =
      environment_.store.Read(call.caller.workspace_id, call.patience(), [&](storage::ReadView& view) {
        ran = true;
        rehearsal = call.tool->handlers.rehearse(context, view);
        return rehearsal.status();
      });
  if (!ran) return status;
  if (storage::IsFault(rehearsal.status())) return call.state.store_fault = rehearsal.status();
  if (!rehearsal.ok()) {
    RETURN_IF_ERROR(Answer(call, rehearsal.status(), result));
    return result;
  }
  if (!rehearsal->has_value()) return std::nullopt;
  executors::Rehearsal& found = **rehearsal;
  result.changes = std::move(found.changes);
  result.changes_omitted = result.affected_blocks_omitted = found.changes_omitted;
  result.can_undo = found.output.reversible;
  RETURN_IF_ERROR(Answer(call, std::move(found.output), result));
  return result;
}

absl::Status ReadRunner::Answer(ToolCall& call, const absl::StatusOr<ToolOutput>& output, ToolResult& result) const {
  FillResult(environment_, call, output, result);
  return Bound(call, result);
}

absl::Status ReadRunner::Bound(ToolCall& call, ToolResult& result) const {
  if (result.untrusted) RETURN_IF_ERROR(environment_.outside_text.Receive(call, result));
  return kept_results_.Cap(call, nullptr, result);
}

}  // namespace toolgate::services::execution
