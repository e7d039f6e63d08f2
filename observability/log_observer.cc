#include "observability/log_observer.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "observability/finding.h"

namespace toolgate::observability {
namespace {

LogLevel LevelOf(const CallEnded& end) {
  if (end.outcome == CallOutcome::kSucceeded || end.outcome == CallOutcome::kConfirmationRequested) {
    return LogLevel::kDebug;
  }
  return IsCallersFault(end.error.value_or(ErrorCode::kExecutionError)) ? LogLevel::kInfo : LogLevel::kWarning;
}

std::string_view MessageOf(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::kSucceeded:
      return "call succeeded";
    case CallOutcome::kConfirmationRequested:
      return "call waits for confirmation";
    case CallOutcome::kFailed:
      return "call failed";
    case CallOutcome::kRefused:
      return "call refused";
  }
  return "call ended";
}

// A caller's text may be as long as a message. Twice the part that fits in a line is masked, so that no secret is cut
// in the middle of the shown part.
constexpr size_t kMaxMaskedBytes = 2 * Logger::kMaxValueBytes;

std::string Masked(const LogMask& mask, std::string_view text) { return mask(text.substr(0, kMaxMaskedBytes)); }

// The consequence that weighs most.
FindingAction ActionOf(std::span<const CallFinding> findings) {
  FindingAction action = FindingAction::kRecord;
  for (const CallFinding& finding : findings) action = std::max(action, finding.action);
  return action;
}

// Each family once, in their order.
std::string FamiliesOf(std::span<const CallFinding> findings) {
  std::vector<std::string_view> families;
  for (const CallFinding& finding : findings) {
    if (std::find(families.begin(), families.end(), finding.family) == families.end()) {
      families.push_back(finding.family);
    }
  }
  return absl::StrJoin(families, ",", [](std::string* out, std::string_view family) { out->append(family); });
}

}  // namespace

void LogObserver::LogFindings(const CallStarted& call, const CallEnded& end) const {
  if (!logger_.enabled(LogLevel::kWarning)) return;
  logger_.Warning("layer 1 found text that reads like instructions to a model",
                  {{"call_id", call.call_id},
                   {"trace_id", call.trace.TraceIdHex()},
                   LogField::Key("tool", call.tool_id),  // A known one: layer 1 has its schema.
                   LogField::Key("action", FindingActionName(ActionOf(end.finding_list))),
                   {"source", FindingSourceName(end.finding_list.front().source)},
                   {"families", FamiliesOf(end.finding_list)},
                   {"findings", end.findings},
                   {"workspace_id", Masked(mask_secrets_, call.workspace_id)},
                   {"user_id", Masked(mask_secrets_, call.user_id)},
                   {"conversation_id", Masked(mask_all_, call.conversation_id)},
                   {"audit_entry_id", end.audit_entry_id}});
}

void LogObserver::OnCallEnded(const CallStarted& call, const CallEnded& end) {
  if (!end.finding_list.empty()) LogFindings(call, end);
  const LogLevel level = LevelOf(end);
  if (!logger_.enabled(level)) return;
  logger_.Log(level, MessageOf(end.outcome),
              {{"call_id", call.call_id},
               {"trace_id", call.trace.TraceIdHex()},
               // Of a refused call, the tool may be anything that the caller has made up.
               end.outcome == CallOutcome::kFailed ? LogField::Key("tool", Masked(mask_secrets_, call.tool_id))
                                                   : LogField("tool", Masked(mask_secrets_, call.tool_id)),
               LogField::Key("outcome", OutcomeName(end.outcome, end.error)),
               LogField::Key("refused_by", end.refused_by),
               {"error", end.error_message},
               {"reference_id", end.reference_id},
               {"duration_seconds", static_cast<double>(end.ended_ns - call.arrived_ns) / 1e9},
               {"workspace_id", Masked(mask_secrets_, call.workspace_id)},
               {"user_id", Masked(mask_secrets_, call.user_id)},
               {"conversation_id", Masked(mask_all_, call.conversation_id)},
               {"parent_call_id", call.parent_call_id},
               {"audit_entry_id", end.audit_entry_id},
               {"findings", end.findings},
               {"dry_run", end.dry_run},
               {"replayed", end.replayed}});
}

}  // namespace toolgate::observability
