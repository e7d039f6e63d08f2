// Generates trace and span ids.
#ifndef TOOLGATE_OBSERVABILITY_TRACE_IDS_H_
#define TOOLGATE_OBSERVABILITY_TRACE_IDS_H_

#include <atomic>
#include <cstdint>

#include "common/ids.h"
#include "observability/trace_context.h"

namespace toolgate::observability {

// Generates ids that are unique and evenly distributed, but not secret: the seed comes from `ids`, the rest is
// SplitMix64, which costs a few nanoseconds. Thread-safe, no locks.
class TraceIds {
 public:
  explicit TraceIds(IdSource& ids);

  // Root span of a new, unsampled trace; observability/tracing decides about sampling.
  TraceContext NewTrace();
  // New span in the trace of `parent`, with its flags and trace state. Starts a new trace if `parent` is not valid.
  TraceContext NewChild(const TraceContext& parent);
  // Id of one more span in any trace.
  uint64_t NewSpanId();

 private:
  // Never returns 0, which the standard forbids.
  uint64_t Id(uint64_t state) const;

  std::atomic<uint64_t> state_;
  const uint64_t salt_;  // Distinguishes two processes that happen to have the same state.
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_TRACE_IDS_H_
