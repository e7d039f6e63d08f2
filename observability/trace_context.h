// W3C Trace Context (w3.org/TR/trace-context): who caused this call, across processes.
#ifndef TOOLGATE_OBSERVABILITY_TRACE_CONTEXT_H_
#define TOOLGATE_OBSERVABILITY_TRACE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate::observability {

// One place in a trace. A value; a default one is no place and is never written out.
struct TraceContext {
  uint64_t trace_id_high = 0;
  uint64_t trace_id_low = 0;
  uint64_t span_id = 0;
  uint8_t flags = 0;        // Of version 00: bit 0 is "sampled"; the others are dropped.
  std::string trace_state;  // As it came, when well-formed; for other systems, handed on unread.

  bool valid() const { return (trace_id_high != 0 || trace_id_low != 0) && span_id != 0; }
  bool sampled() const { return (flags & 1) != 0; }

  // 32 and 16 lower-case hex digits.
  std::string TraceIdHex() const;
  std::string SpanIdHex() const;
  // "00-<trace id>-<span id>-<flags>".
  std::string ToTraceParent() const;
};

// Reads the header `traceparent`. Nothing when it is malformed or of the forbidden version ff; the call then starts a
// trace of its own. Later versions are read by what they share with version 00.
std::optional<TraceContext> ParseTraceParent(std::string_view header);

// Checks `header`, the values of all `tracestate` headers of a request joined by commas, and answers it without empty
// members and blanks between members. Answers nothing ("") when it is malformed, names a key twice, has more than 32
// members or is longer than 512 characters: then none of it may be handed on.
std::string ParseTraceState(std::string_view header);

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_TRACE_CONTEXT_H_
