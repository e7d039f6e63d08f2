#include "services/pipeline/pipeline.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"

namespace toolgate::services::pipeline {
namespace {

using observability::CallEnded;
using observability::CallFinding;
using observability::CallOutcome;
using observability::CallRecorder;
using observability::CallStarted;
using security::ToolCall;
using security::ToolResult;

constexpr std::string_view kInnermost = "execute";

CallStarted StartOf(const ToolCall& call) {
  // Before authentication only the claim is known; what follows from it is checked by then.
  const Caller& who = call.is_step() ? call.caller : call.claimed;
  CallStarted started{.trace = call.trace};
  started.call_id = call.id;
  started.tool_id = call.tool_id;
  started.workspace_id = who.workspace_id;
  started.user_id = who.user_id;
  started.conversation_id = who.conversation_id;
  started.parent_call_id = call.parent_call_id();
  started.parent_span_id = call.parent_span_id;
  started.recording = call.recording;
  started.tool_call_id = call.tool_call_id;
  started.arrived = call.arrived;
  started.arrived_ns = absl::ToInt64Nanoseconds(call.arrived_monotonic);
  return started;
}

std::optional<ToolError> ErrorOf(const absl::StatusOr<ToolResult>& outcome) {
  return outcome.ok() ? outcome->error : GetToolError(outcome.status());
}

CallOutcome KindOf(const absl::StatusOr<ToolResult>& outcome) {
  if (!outcome.ok()) return CallOutcome::kRefused;
  if (outcome->confirmation.has_value()) return CallOutcome::kConfirmationRequested;
  return outcome->success ? CallOutcome::kSucceeded : CallOutcome::kFailed;
}

std::vector<CallFinding> FindingsOf(const ToolCall& call) {
  std::vector<CallFinding> findings;
  findings.reserve(call.state.findings.size());
  for (const security::Finding& finding : call.state.findings) {
    findings.push_back({finding.family, finding.action, finding.source});
  }
  return findings;
}

void FillEnd(const ToolCall& call, const absl::StatusOr<ToolResult>& outcome, const std::optional<ToolError>& error,
             std::span<const CallFinding> findings, CallEnded& end) {
  end.outcome = KindOf(outcome);
  end.audit_entry_id = call.audit_entry_id;
  end.dry_run = call.dry_run;
  end.findings = findings.size();
  end.finding_list = findings;
  if (error.has_value()) {
    end.error = error->code;
    end.error_message = error->message;
    for (const auto& [name, value] : error->facts) {
      if (name == "referenceId") end.reference_id = value;
    }
  }
  if (!outcome.ok()) {
    end.refused_by = call.state.refused_by;
    return;
  }
  end.replayed = outcome->replayed;
  end.truncated = outcome->truncated;
}

// One entry for each thread: to make and destroy its texts costs more than to fill them. Its memory is given back after
// an unusually long one.
v1::AuditEntry& EmptyEntry() {
  constexpr size_t kOrdinaryBytes = 2048;
  static thread_local v1::AuditEntry entry;
  if (entry.params_json().size() + entry.error().message().size() <= kOrdinaryBytes &&
      entry.affected_block_ids_size() == 0) {
    entry.Clear();
  } else {
    entry = v1::AuditEntry();
  }
  return entry;
}

}  // namespace

// One run of a call through the steps: the deepest step reached, and the recorder of times.
struct Pipeline::Traversal {
  CallRecorder& recorder;
  size_t deepest = 0;
};

absl::StatusOr<ToolResult> Pipeline::Run(ToolCall& call) const {
  // Both outlive the recorder, whose end borrows their texts.
  std::optional<ToolError> error;
  std::vector<CallFinding> findings;
  CallRecorder recorder(dependencies_.observer, dependencies_.clock, StartOf(call));
  Traversal traversal{recorder};
  absl::StatusOr<ToolResult> outcome = RunFrom(0, traversal, call);
  error = ErrorOf(outcome);
  if (!outcome.ok()) {
    call.state.refused_by = NameOf(traversal.deepest);
    if (error.has_value()) {
      // Tells the caller which step refused, in ErrorInfo's metadata.
      error->facts.emplace_back("layer", call.state.refused_by);
      outcome = ToStatus(*error);
    }
  }
  const ToolResult* const result = outcome.ok() ? &*outcome : nullptr;
  if (const absl::Status audited = Audit(call, result, error.has_value() ? &*error : nullptr); !audited.ok()) {
    error = dependencies_.safe_errors.Sanitise(audited, call);
    outcome = ToStatus(*error);
    call.state.refused_by = "audit";
  }
  findings = FindingsOf(call);
  FillEnd(call, outcome, error, findings, recorder.end());
  return outcome;
}

absl::StatusOr<ToolResult> Pipeline::RunFrom(size_t step, Traversal& traversal, ToolCall& call) const {
  traversal.deepest = std::max(traversal.deepest, step);
  if (step == dependencies_.layers.size()) {
    const auto timing = traversal.recorder.EnterLayer(step, kInnermost);
    return dependencies_.execution.Run(call);
  }
  security::Layer& layer = *dependencies_.layers[step];
  const auto timing = traversal.recorder.EnterLayer(step, layer.name());
  return layer.Run(call, [&](ToolCall& next_call) { return RunFrom(step + 1, traversal, next_call); });
}

absl::Status Pipeline::Audit(ToolCall& call, const ToolResult* result, const ToolError* error) const {
  if (call.state.audited) return absl::OkStatus();
  call.state.audited = true;
  v1::AuditEntry& entry = EmptyEntry();
  audit::BeginAuditEntry(call, dependencies_.masker, entry);
  audit::EndAuditEntry(call,
                       {.result = result,
                        .error = error,
                        .time = dependencies_.clock.Now(),
                        .duration = dependencies_.clock.Monotonic() - call.arrived_monotonic},
                       dependencies_.masker, entry);
  if (!call.is_step() || call.step_of->ledger == nullptr) return dependencies_.audit.Add(entry);
  call.step_of->ledger->AddEntry(entry);
  return absl::OkStatus();
}

std::string_view Pipeline::NameOf(size_t step) const {
  return step < dependencies_.layers.size() ? dependencies_.layers[step]->name() : kInnermost;
}

std::vector<std::string_view> Pipeline::StepNames() const {
  std::vector<std::string_view> names;
  for (size_t step = 0; step <= dependencies_.layers.size(); ++step) names.push_back(NameOf(step));
  return names;
}

}  // namespace toolgate::services::pipeline
