// Data of one span.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_SPAN_H_
#define TOOLGATE_OBSERVABILITY_TRACING_SPAN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace toolgate::observability::tracing {

// The values are OTLP's.
enum class SpanKind : uint8_t { kInternal = 1, kServer = 2, kClient = 3 };

// Property of a span. Texts are borrowed: they are constants, or TraceRecording::Keep copied them.
struct Attribute {
  using Value = std::variant<std::string_view, int64_t, double, bool>;

  std::string_view name;
  Value value;
};

// Finished piece of work. The name is borrowed like the texts of attributes.
struct Span {
  uint64_t id = 0;
  uint64_t parent_id = 0;  // 0: the root of its trace.
  std::string_view name;
  SpanKind kind = SpanKind::kInternal;
  bool failed = false;            // Its status is an error; the attribute error.type says which.
  bool parent_is_remote = false;  // The parent is a span of another process.
  int64_t start_ns = 0;           // Clock::MonotonicNanos, like the next.
  int64_t end_ns = 0;
};

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_SPAN_H_
