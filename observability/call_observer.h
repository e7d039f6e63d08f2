// Interface between the pipeline and its observers: metrics, log lines, spans.
#ifndef TOOLGATE_OBSERVABILITY_CALL_OBSERVER_H_
#define TOOLGATE_OBSERVABILITY_CALL_OBSERVER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/tool_error.h"
#include "observability/finding.h"
#include "observability/trace_context.h"

namespace toolgate::observability::tracing {
class TraceRecording;
}

namespace toolgate::observability {

// A call on its arrival. The views and the reference are valid until the call's end has been observed.
struct CallStarted {
  std::string_view call_id = {};
  std::string_view tool_id = {};  // As requested; the tool need not exist.
  std::string_view workspace_id = {};
  std::string_view user_id = {};
  std::string_view conversation_id = {};
  std::string_view parent_call_id = {};  // For a step of an automation.
  const TraceContext& trace;             // The call's own span, not the client's.
  uint64_t parent_span_id = 0;           // The span of the RPC, or of the automation of which this is a step; or 0.
  tracing::TraceRecording* recording = nullptr;  // Of the RPC; null unless its trace is sampled.
  std::string_view tool_call_id = {};            // The model's id for the call, if it is of an ordinary form.
  absl::Time arrived = {};
  int64_t arrived_ns = 0;  // Clock::MonotonicNanos, like all other times of a call. 0: CallRecorder reads it.
};

// Time of a call in one layer. Layers nest: the time from `entered_ns` to `left_ns` includes that of the inner layers.
struct LayerTiming {
  size_t index;           // Position of the layer in the pipeline, outermost first.
  std::string_view name;  // Static.
  int64_t entered_ns;
  int64_t left_ns;
  int64_t self_ns;  // Without the inner layers.
  bool refused;     // The layer refused the call.
};

enum class CallOutcome {
  kSucceeded,
  kConfirmationRequested,
  kFailed,   // The tool ran and failed.
  kRefused,  // The tool did not run.
};

struct CallEnded {
  CallOutcome outcome = CallOutcome::kFailed;
  std::optional<ErrorCode> error;  // For kFailed and kRefused.
  std::string_view refused_by;     // For kRefused: the layer's name.
  std::string_view error_message;  // For operators, secrets masked.
  std::string_view reference_id;   // Reference id given to the caller, or empty.
  std::string_view audit_entry_id;
  bool dry_run = false;
  bool replayed = false;
  bool truncated = false;
  size_t findings = 0;                        // Number of findings of layer 1,
  std::span<const CallFinding> finding_list;  // and these themselves, in the order in which they were found.
  int64_t ended_ns = 0;
  std::span<const LayerTiming> layers;  // In the order in which they were entered.
};

// Observes every call, refused calls included, on the call's own thread. Implementations must be thread-safe, return
// fast and never block. Layers are reported with the end of the call, so that an observer needs no state for each call.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void OnCallStarted(const CallStarted& call) = 0;
  // `call` is the argument of OnCallStarted.
  virtual void OnCallEnded(const CallStarted& call, const CallEnded& end) = 0;
};

// Passes every event to each of `observers`, in their order. Borrows them.
class CallObserverList final : public CallObserver {
 public:
  explicit CallObserverList(std::vector<CallObserver*> observers) : observers_(std::move(observers)) {}

  void OnCallStarted(const CallStarted& call) override {
    for (CallObserver* observer : observers_) observer->OnCallStarted(call);
  }
  void OnCallEnded(const CallStarted& call, const CallEnded& end) override {
    for (CallObserver* observer : observers_) observer->OnCallEnded(call, end);
  }

 private:
  const std::vector<CallObserver*> observers_;
};

// "OK", "CONFIRMATION_REQUIRED" or the error code's name: the label `outcome` in metrics and log lines.
inline std::string_view OutcomeName(CallOutcome outcome, std::optional<ErrorCode> error) {
  switch (outcome) {
    case CallOutcome::kSucceeded:
      return "OK";
    case CallOutcome::kConfirmationRequested:
      return "CONFIRMATION_REQUIRED";
    case CallOutcome::kFailed:
    case CallOutcome::kRefused:
      break;
  }
  return ErrorCodeName(error.value_or(ErrorCode::kExecutionError));
}

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_CALL_OBSERVER_H_
