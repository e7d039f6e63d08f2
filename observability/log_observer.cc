#include "observability/log_observer.h"

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

}  // namespace

void LogObserver::OnCallEnded(const CallStarted& call, const CallEnded& end) {
  const LogLevel level = LevelOf(end);
  if (!logger_.enabled(level)) return;
  logger_.Log(level, MessageOf(end.outcome),
              {{"call_id", call.call_id},
               {"trace_id", call.trace.TraceIdHex()},
               {"tool", Masked(mask_secrets_, call.tool_id)},
               {"outcome", OutcomeName(end.outcome, end.error)},
               {"refused_by", end.refused_by},
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
