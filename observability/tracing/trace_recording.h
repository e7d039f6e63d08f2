// The spans of one sampled RPC, from its start until they are exported.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_TRACE_RECORDING_H_
#define TOOLGATE_OBSERVABILITY_TRACING_TRACE_RECORDING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "observability/call_observer.h"
#include "observability/trace_context.h"
#include "observability/trace_ids.h"
#include "observability/tracing/span.h"

namespace toolgate::observability::tracing {

// Collects finished spans. Exists for sampled RPCs only, so that all others cost one comparison with null.
//
// Parents are found at the end of a call: while it runs, a span that is caused by the call names the call's span as its
// parent, and EndCall then moves it below the layer in which it began. So nothing needs to know the layer it runs in.
// Thread-safe until the RPC ends; immutable from then on.
class TraceRecording {
 public:
  // Spans of one RPC beyond this number are dropped, for example those of an automation with very many steps.
  static constexpr size_t kMaxSpans = 512;

  // `server` is the RPC's span. Borrows `ids` and `clock`.
  TraceRecording(TraceContext server, TraceIds& ids, const Clock& clock);

  uint64_t NewSpanId() { return ids_.NewSpanId(); }
  int64_t Now() const { return clock_.MonotonicNanos(); }
  // Copies `text`; the copy lives as long as the recording.
  std::string_view Keep(std::string_view text) ABSL_LOCKS_EXCLUDED(mutex_);

  void Add(const Span& span, std::span<const Attribute> attributes = {}) ABSL_LOCKS_EXCLUDED(mutex_);
  // Adds the span of a tool call and one for each of `layers`, which nest, and moves spans that name `call` as their
  // parent below the innermost layer that they began in. The layer that refused fails with `error_type`.
  void EndCall(const Span& call, std::span<const Attribute> attributes, std::span<const LayerTiming> layers,
               std::string_view error_type) ABSL_LOCKS_EXCLUDED(mutex_);

  // --- after the RPC's end ---
  const TraceContext& server() const { return server_; }
  const std::vector<Span>& spans() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return spans_; }
  std::span<const Attribute> AttributesOf(size_t span) const ABSL_NO_THREAD_SAFETY_ANALYSIS;
  // Nanoseconds since the Unix epoch. All spans use the offset between the clocks at the RPC's start.
  uint64_t UnixNanos(int64_t monotonic_ns) const { return static_cast<uint64_t>(monotonic_ns + epoch_offset_ns_); }
  size_t dropped() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return dropped_; }

  TraceRecording* next = nullptr;  // For the queue that owns the recording.

 private:
  void AddLocked(const Span& span, std::span<const Attribute> attributes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const TraceContext server_;
  TraceIds& ids_;
  const Clock& clock_;
  const int64_t epoch_offset_ns_;
  absl::Mutex mutex_;  // Tools may work on several threads; nearly always uncontended.
  std::vector<Span> spans_ ABSL_GUARDED_BY(mutex_);
  std::vector<Attribute> attributes_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint32_t> attribute_ends_ ABSL_GUARDED_BY(mutex_);  // For each span, its end in attributes_.
  std::deque<std::string> texts_ ABSL_GUARDED_BY(mutex_);         // Never moves its elements.
  size_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_TRACE_RECORDING_H_
