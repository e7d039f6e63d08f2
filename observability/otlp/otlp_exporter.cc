#include "observability/otlp/otlp_exporter.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/proto_bytes.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.pb.h"

namespace toolgate::observability::otlp {
namespace {

constexpr char kMethod[] = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
constexpr int kMaxResponseBytes = 64 << 10;
constexpr int kMaxReconnectMs = 5000;  // gRPC's own bound is two minutes, for which all spans would be lost.

std::shared_ptr<::grpc::Channel> Connect(const OtlpExporter::Options& options) {
  ::grpc::ChannelArguments arguments;
  arguments.SetUserAgentPrefix(absl::StrCat("OTel-OTLP-Exporter-toolgate/", options.version));
  arguments.SetMaxReceiveMessageSize(kMaxResponseBytes);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // Retries are ours.
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  std::shared_ptr<::grpc::ChannelCredentials> credentials = ::grpc::InsecureChannelCredentials();
  if (options.tls) {
    ::grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = options.ca_pem;
    tls.pem_cert_chain = options.certificate_pem;
    tls.pem_private_key = options.private_key_pem;
    credentials = ::grpc::SslCredentials(tls);
  }
  return ::grpc::CreateCustomChannel(options.target, credentials, arguments);
}

absl::Status ToAbslStatus(const ::grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

}  // namespace

OtlpExporter::OtlpExporter(Options options)
    : options_(std::move(options)), encoder_(options_.resource, options_.version), stub_(Connect(options_)) {}

absl::StatusOr<int64_t> OtlpExporter::Export(std::span<const tracing::SpanRef> batch, absl::Duration timeout) {
  const absl::Duration end = options_.clock->Monotonic() + std::min(timeout, options_.timeout);
  const std::string_view bytes = encoder_.Encode(batch);
  const ::grpc::Slice slice(bytes.data(), bytes.size());
  const ::grpc::ByteBuffer request(&slice, 1);
  ExportRetry retry(random_);
  while (true) {
    ::grpc::ByteBuffer response;
    const ::grpc::Status status = Send(request, end - options_.clock->Monotonic(), response);
    if (status.ok()) return ReadResponse(response);
    const std::optional<absl::Duration> wait = retry.WaitAfter(status);
    if (!wait.has_value() || options_.clock->Monotonic() + *wait >= end || !Wait(*wait)) return ToAbslStatus(status);
  }
}

::grpc::Status OtlpExporter::Send(const ::grpc::ByteBuffer& request, absl::Duration timeout,
                                  ::grpc::ByteBuffer& response) {
  ::grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(timeout));
  if (options_.gzip) context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  for (const auto& [name, value] : options_.headers) context.AddMetadata(name, value);
  {
    absl::MutexLock lock(&mutex_);
    if (cancelled_) return {::grpc::StatusCode::CANCELLED, "the service ends"};
    running_ = &context;
  }
  ::grpc::Status status;
  absl::Notification done;
  stub_.UnaryCall(&context, kMethod, ::grpc::StubOptions(), &request, &response, [&](::grpc::Status end) {
    status = std::move(end);
    done.Notify();
  });
  done.WaitForNotification();
  absl::MutexLock lock(&mutex_);
  running_ = nullptr;
  return status;
}

bool OtlpExporter::Wait(absl::Duration duration) {
  if (options_.wait != nullptr) options_.wait(duration);
  absl::MutexLock lock(&mutex_);
  if (options_.wait == nullptr) mutex_.AwaitWithTimeout(absl::Condition(&no_retries_), duration);
  return !no_retries_;
}

int64_t OtlpExporter::ReadResponse(const ::grpc::ByteBuffer& response) const {
  opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse message;
  ::grpc::Slice bytes;
  // An answer that cannot be read says no more than that the batch was taken.
  if (!response.DumpToSingleSlice(&bytes).ok() ||
      !ParseProto({reinterpret_cast<const char*>(bytes.begin()), bytes.size()}, message).ok()) {
    return 0;
  }
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
  absl::MutexLock lock(&mutex_);
  no_retries_ = true;
  cancelled_ = true;
  if (running_ != nullptr) running_->TryCancel();
}

}  // namespace toolgate::observability::otlp
