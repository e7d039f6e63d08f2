#include "observability/tracing/client_span.h"

#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"

namespace toolgate::observability::tracing {

ClientSpan::ClientSpan(const CallSpan& call, std::string_view name, SpanKind kind) : call_(call) {
  if (!call_.recorded()) return;
  TraceRecording& recording = *call_.recording;
  span_ = {.id = recording.NewSpanId(),
           .parent_id = call_.context->span_id,
           .name = recording.Keep(name),
           .kind = kind,
           .start_ns = recording.Now()};
}

ClientSpan::~ClientSpan() {
  if (!call_.recorded()) return;
  span_.end_ns = call_.recording->Now();
  call_.recording->Add(span_, attributes_);
}

void ClientSpan::Set(std::string_view name, std::string_view text) {
  if (call_.recorded()) attributes_.push_back({name, call_.recording->Keep(text)});
}

void ClientSpan::Set(std::string_view name, int64_t number) {
  if (call_.recorded()) attributes_.push_back({name, number});
}

void ClientSpan::Fail(std::string_view error_type) {
  Set(kErrorType, error_type);
  span_.failed = true;
}

std::vector<std::pair<std::string, std::string>> ClientSpan::Headers() const {
  if (call_.context == nullptr || !call_.context->valid()) return {};
  TraceContext context = *call_.context;
  if (call_.recorded()) context.span_id = span_.id;
  std::vector<std::pair<std::string, std::string>> headers = {{"traceparent", context.ToTraceParent()}};
  if (!context.trace_state.empty()) headers.emplace_back("tracestate", context.trace_state);
  return headers;
}

}  // namespace toolgate::observability::tracing
