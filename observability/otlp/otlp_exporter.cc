#include "observability/otlp/otlp_exporter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/proto_bytes.h"
#include "observability/otlp/export_retry.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.pb.h"

namespace toolgate::observability::otlp {

OtlpExporter::OtlpExporter(Options options, std::unique_ptr<Transport> transport)
    : options_(std::move(options)), transport_(std::move(transport)), encoder_(options_.resource, options_.version) {}

absl::StatusOr<int64_t> OtlpExporter::Export(std::span<const tracing::SpanRef> batch, absl::Duration timeout) {
  const absl::Duration end = options_.clock->Monotonic() + std::min(timeout, options_.timeout);
  const std::string_view request = encoder_.Encode(batch);
  ExportRetry retry(random_);
  while (true) {
    const Attempt attempt = transport_->Send(request, end - options_.clock->Monotonic());
    if (attempt.status.ok()) return ReadResponse(attempt.response);
    const std::optional<absl::Duration> wait = retry.WaitAfter(attempt);
    if (!wait.has_value() || options_.clock->Monotonic() + *wait >= end || !Wait(*wait)) return attempt.status;
  }
}

bool OtlpExporter::Wait(absl::Duration duration) {
  if (options_.wait != nullptr) options_.wait(duration);
  absl::MutexLock lock(&mutex_);
  if (options_.wait == nullptr) mutex_.AwaitWithTimeout(absl::Condition(&no_retries_), duration);
  return !no_retries_;
}

int64_t OtlpExporter::ReadResponse(std::string_view response) const {
  opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse message;
  // An answer that cannot be read says no more than that the batch was taken.
  if (!ParseProto(response, message).ok()) return 0;
  const auto& remark = message.partial_success();
  if (options_.on_remark != nullptr && (remark.rejected_spans() != 0 || !remark.error_message().empty())) {
    options_.on_remark(remark.rejected_spans(), remark.error_message());
  }
  return remark.rejected_spans();
}

void OtlpExporter::StopRetrying() {
  absl::MutexLock lock(&mutex_);
  no_retries_ = true;
}

void OtlpExporter::Cancel() {
  StopRetrying();
  transport_->Cancel();
}

}  // namespace toolgate::observability::otlp
