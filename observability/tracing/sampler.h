// Decides which traces are recorded.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_SAMPLER_H_
#define TOOLGATE_OBSERVABILITY_TRACING_SAMPLER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "observability/trace_context.h"

namespace toolgate::observability::tracing {

// One of the samplers of the OpenTelemetry specification. Immutable, hence thread-safe.
class Sampler {
 public:
  // Nothing when `name` is none of kSamplerNames. `ratio`, from 0 to 1, is for the samplers with "traceidratio".
  static std::optional<Sampler> Create(std::string_view name, double ratio);

  // `trace` is the span to decide about. `has_parent`: its trace began in another process, and its flags are as
  // received.
  bool IsSampled(const TraceContext& trace, bool has_parent) const {
    return has_parent && parent_based_ ? trace.sampled() : trace.trace_id_low >> 1 < bound_;
  }

 private:
  Sampler(bool parent_based, uint64_t bound) : parent_based_(parent_based), bound_(bound) {}

  bool parent_based_;
  uint64_t bound_;  // In 2^63: the low 63 bits of trace ids are random. The same traces everywhere at the same ratio.
};

// "always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio", for
// error messages.
inline constexpr std::string_view kSamplerNames =
    "always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio";

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_SAMPLER_H_
