// Position of a running call in its trace.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_CALL_SPAN_H_
#define TOOLGATE_OBSERVABILITY_TRACING_CALL_SPAN_H_

namespace toolgate::observability {
struct TraceContext;
}

namespace toolgate::observability::tracing {

class TraceRecording;

// Handed to everything that works for a call. Borrows both, for as long as the call runs.
struct CallSpan {
  const TraceContext* context = nullptr;  // The call's span; null: work for no call.
  TraceRecording* recording = nullptr;    // Takes spans that the call causes; null: the trace is not sampled.

  bool recorded() const { return recording != nullptr; }
};

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_CALL_SPAN_H_
