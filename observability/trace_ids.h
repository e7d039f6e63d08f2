// New trace and span ids.
#ifndef TOOLGATE_OBSERVABILITY_TRACE_IDS_H_
#define TOOLGATE_OBSERVABILITY_TRACE_IDS_H_

#include <atomic>
#include <cstdint>

#include "common/ids.h"
#include "observability/trace_context.h"

namespace toolgate::observability {

// Draws ids that are unique and evenly spread, but not secret: the seed comes from `ids`, the rest is SplitMix64, which
// costs a few nanoseconds. Thread-safe, no locks.
class TraceIds {
 public:
  explicit TraceIds(IdSource& ids);

  // The first place of a new, unsampled trace: sampling is for the exporter to decide.
  TraceContext NewTrace();
  // A new place in the trace of `parent`, with its flags and trace state. A new trace when `parent` is not valid.
  TraceContext NewChild(const TraceContext& parent);

 private:
  // Never 0, which the standard forbids.
  uint64_t Id(uint64_t state) const;

  std::atomic<uint64_t> state_;
  const uint64_t salt_;  // Keeps two processes apart that happen on the same state.
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_TRACE_IDS_H_
