// Encodes spans as OTLP requests.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_REQUEST_ENCODER_H_
#define TOOLGATE_OBSERVABILITY_OTLP_REQUEST_ENCODER_H_

#include <span>
#include <string>
#include <string_view>

#include "observability/tracing/resource.h"
#include "observability/tracing/span_exporter.h"

namespace toolgate::observability::otlp {

// Writes opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest directly, without the generated classes:
// those make a dozen objects for each span, which would cost more than all other work on traces (ADR 0021). The
// generated classes read the result in tests. Not thread-safe.
class RequestEncoder {
 public:
  RequestEncoder(const tracing::Resource& resource, std::string_view scope_version);

  // The request's bytes, valid until the next call.
  std::string_view Encode(std::span<const tracing::SpanRef> batch);

 private:
  void AppendSpan(const tracing::SpanRef& ref);

  std::string resource_;  // Fields `resource` and `schema_url` of ResourceSpans.
  std::string scope_;     // Fields `scope` and `schema_url` of ScopeSpans.
  std::string spans_;     // Reused, like the next.
  std::string request_;
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_REQUEST_ENCODER_H_
