// Interface between the queue of spans and the protocol that sends them.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_SPAN_EXPORTER_H_
#define TOOLGATE_OBSERVABILITY_TRACING_SPAN_EXPORTER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "observability/tracing/trace_recording.h"

namespace toolgate::observability::tracing {

// A span of a finished recording, which it borrows.
struct SpanRef {
  const TraceRecording* recording;
  size_t index;
};

// Sends batches of spans. Export is called by one thread at a time.
class SpanExporter {
 public:
  virtual ~SpanExporter() = default;

  // Blocks for `timeout` at most, with all retries. Returns the number of spans that the receiver refused for good; an
  // error when none was taken.
  virtual absl::StatusOr<int64_t> Export(std::span<const SpanRef> batch, absl::Duration timeout) = 0;

  // From now on no failure is retried, and a wait for a retry ends. Thread-safe.
  virtual void StopRetrying() = 0;
  // From now on every export fails at once, also a running one. Thread-safe.
  virtual void Cancel() = 0;
};

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_SPAN_EXPORTER_H_
