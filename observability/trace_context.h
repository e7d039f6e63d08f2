// W3C Trace Context (w3.org/TR/trace-context): the cause of a call, across processes.
#ifndef TOOLGATE_OBSERVABILITY_TRACE_CONTEXT_H_
#define TOOLGATE_OBSERVABILITY_TRACE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate::observability {

// Span in a trace. A value type; the default value is invalid and is never sent.
struct TraceContext {
  uint64_t trace_id_high = 0;
  uint64_t trace_id_low = 0;
  uint64_t span_id = 0;
  uint8_t flags = 0;        // As in version 00: bit 0 is "sampled"; other bits are dropped.
  std::string trace_state;  // As received, if well-formed. For other systems, passed on unread.

  bool valid() const { return (trace_id_high != 0 || trace_id_low != 0) && span_id != 0; }
  bool sampled() const { return (flags & 1) != 0; }

  // 32 and 16 lower-case hex digits.
  std::string TraceIdHex() const;
  std::string SpanIdHex() const;
  // "00-<trace id>-<span id>-<flags>".
  std::string ToTraceParent() const;
};

// Parses the header `traceparent`. Returns nothing if it is malformed or has the forbidden version ff; the call then
// starts a new trace. Of later versions, only the part that they share with version 00 is read.
std::optional<TraceContext> ParseTraceParent(std::string_view header);

// Checks `header`, the values of all `tracestate` headers of a request joined by commas, and returns it without empty
// members and without spaces between members. Returns "" if it is malformed, contains a key twice, has more than 32
// members or is longer than 512 characters: it must not be passed on then.
std::string ParseTraceState(std::string_view header);

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_TRACE_CONTEXT_H_
