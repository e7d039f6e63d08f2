#include "observability/tracing/tracer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "common/grpc_status_name.h"
#include "observability/tracing/attribute_names.h"

namespace toolgate::observability::tracing {
namespace {

// The codes that are a server's fault, as the conventions for gRPC list them: UNKNOWN, DEADLINE_EXCEEDED,
// UNIMPLEMENTED, INTERNAL, UNAVAILABLE and DATA_LOSS. Others say that the client asked for the wrong thing.
bool IsServersFault(int code) { return code == 2 || code == 4 || code == 12 || code == 13 || code == 14 || code == 15; }

// The error type of an HTTP status: itself, if it is the server's fault. Static text.
std::string_view ErrorTypeOf(int status) {
  switch (status) {
    case 501:
      return "501";
    case 503:
      return "503";
    case 504:
      return "504";
    default:
      return status >= 500 ? "500" : "";
  }
}

}  // namespace

Tracer::Tracer(TraceIds& ids, const Clock& clock, std::optional<Options> options)
    : ids_(ids), clock_(clock), options_(std::move(options)) {}

RpcTrace Tracer::Begin(const std::optional<TraceContext>& client_span) {
  RpcTrace trace;
  if (client_span.has_value()) {
    trace.parent_span_id_ = client_span->span_id;
    trace.server_span_ = ids_.NewChild(*client_span);
  } else {
    trace.server_span_ = ids_.NewTrace();
  }
  if (!options_.has_value()) return trace;
  const bool sampled = options_->sampler.IsSampled(trace.server_span_, client_span.has_value());
  trace.server_span_.flags = sampled ? 1 : 0;
  if (sampled) trace.recording_ = std::make_unique<TraceRecording>(trace.server_span_, ids_, clock_);
  return trace;
}

// Name and attributes of an RPC's span.
struct Tracer::ServerSpan {
  std::string_view name;
  std::string_view error_type;  // Empty: no error of the server's.
  std::span<const Attribute> attributes;
};

void Tracer::End(RpcTrace& trace, std::string_view method, int status_code, int64_t start_ns) {
  if (trace.recording_ == nullptr) return;
  const std::string_view status = GrpcStatusName(status_code);
  std::array<Attribute, 5> attributes;
  size_t count = 0;
  attributes[count++] = {kRpcSystemName, kGrpc};
  attributes[count++] = {kRpcMethod, method};
  attributes[count++] = {kRpcStatusCode, status};
  if (!options_->server_address.empty()) attributes[count++] = {kServerAddress, options_->server_address};
  if (options_->server_port != 0) attributes[count++] = {kServerPort, options_->server_port};
  const std::string_view error_type = IsServersFault(status_code) ? status : std::string_view();
  AddServerSpan(trace, {method, error_type, std::span(attributes).first(count)}, start_ns);
}

void Tracer::EndHttp(RpcTrace& trace, const HttpOutcome& outcome, int64_t start_ns) {
  if (trace.recording_ == nullptr) return;
  // The path as it was asked for names tools, conversations and confirmations: the route stands in its place.
  const std::array<Attribute, 5> attributes = {{{kHttpRequestMethod, outcome.method},
                                                {kUrlScheme, outcome.scheme},
                                                {kUrlPath, outcome.route},
                                                {kHttpRoute, outcome.route},
                                                {kHttpResponseStatusCode, int64_t{outcome.status}}}};
  AddServerSpan(trace, {outcome.name, ErrorTypeOf(outcome.status), attributes}, start_ns);
}

void Tracer::AddServerSpan(RpcTrace& trace, const ServerSpan& span, int64_t start_ns) {
  std::array<Attribute, 6> attributes;
  size_t count = span.attributes.size();
  std::copy(span.attributes.begin(), span.attributes.end(), attributes.begin());
  if (!span.error_type.empty()) attributes[count++] = {kErrorType, span.error_type};
  trace.recording_->Add({.id = trace.server_span_.span_id,
                         .parent_id = trace.parent_span_id_,
                         .name = span.name,
                         .kind = SpanKind::kServer,
                         .failed = !span.error_type.empty(),
                         .parent_is_remote = trace.parent_span_id_ != 0,
                         .start_ns = start_ns,
                         .end_ns = clock_.MonotonicNanos()},
                        std::span(attributes).first(count));
  options_->sink.Take(std::move(trace.recording_));
}

std::optional<TraceContext> ParentOf(std::string_view trace_parent, std::string_view trace_state) {
  if (trace_parent.empty()) return std::nullopt;
  std::optional<TraceContext> parent = ParseTraceParent(trace_parent);
  if (parent.has_value() && !trace_state.empty()) parent->trace_state = ParseTraceState(trace_state);
  return parent;
}

}  // namespace toolgate::observability::tracing
