// The span of a request to another service, made on behalf of a call.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_CLIENT_SPAN_H_
#define TOOLGATE_OBSERVABILITY_TRACING_CLIENT_SPAN_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observability/trace_context.h"
#include "observability/tracing/call_span.h"
#include "observability/tracing/span.h"

namespace toolgate::observability::tracing {

// Runs from its construction to its destruction; costs nothing to speak of when the call is not sampled. Not
// thread-safe.
//
//   ClientSpan span(context.call_span, "POST", SpanKind::kClient);
//   span.Set(kHttpRequestMethod, "POST");
//   for (auto& [name, value] : span.Headers()) request.AddHeader(name, value);
//   …
//   span.Set(kHttpResponseStatusCode, int64_t{503});
//   span.Fail("503");
//
// Neither names nor values may be secret, or quote a prompt, arguments or an answer.
class ClientSpan {
 public:
  // `call` outlives the span. `name` is of few different values: "POST", "chat MODEL".
  ClientSpan(const CallSpan& call, std::string_view name, SpanKind kind = SpanKind::kClient);
  ~ClientSpan();
  ClientSpan(const ClientSpan&) = delete;
  ClientSpan& operator=(const ClientSpan&) = delete;

  // `name` is one of attribute_names.h.
  void Set(std::string_view name, std::string_view text);
  void Set(std::string_view name, int64_t number);
  // Marks the span as an error: a code, a status or the name of an exception, never a message.
  void Fail(std::string_view error_type);

  // Headers, or gRPC metadata, that tell the other service of the trace, sampled or not (W3C Trace Context); none for
  // work that belongs to no call.
  std::vector<std::pair<std::string, std::string>> Headers() const;

 private:
  const CallSpan call_;
  Span span_;
  std::vector<Attribute> attributes_;
};

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_CLIENT_SPAN_H_
