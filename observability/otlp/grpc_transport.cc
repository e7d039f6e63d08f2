#include "observability/otlp/grpc_transport.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace toolgate::observability::otlp {
namespace {

constexpr char kMethod[] = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
constexpr int kMaxResponseBytes = 64 << 10;
constexpr int kMaxReconnectMs = 5000;  // gRPC's own bound is two minutes, for which all spans would be lost.

std::shared_ptr<::grpc::Channel> Connect(const GrpcTransport::Options& options) {
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

std::optional<absl::Duration> RetryDelayOf(const ::grpc::Status& failure) {
  google::rpc::Status details;
  if (failure.error_details().empty() || !ParseProto(failure.error_details(), details).ok()) return std::nullopt;
  for (const google::protobuf::Any& detail : details.details()) {
    google::rpc::RetryInfo info;
    if (UnpackProto(detail, info)) return std::max(FromProtoDuration(info.retry_delay()), absl::ZeroDuration());
  }
  return std::nullopt;
}

bool IsRetryable(::grpc::StatusCode code, bool with_delay) {
  switch (code) {
    case ::grpc::StatusCode::CANCELLED:
    case ::grpc::StatusCode::DEADLINE_EXCEEDED:
    case ::grpc::StatusCode::ABORTED:
    case ::grpc::StatusCode::OUT_OF_RANGE:
    case ::grpc::StatusCode::UNAVAILABLE:
    case ::grpc::StatusCode::DATA_LOSS:
      return true;
    case ::grpc::StatusCode::RESOURCE_EXHAUSTED:
      return with_delay;
    default:
      return false;
  }
}

std::string BytesOf(const ::grpc::ByteBuffer& buffer) {
  ::grpc::Slice bytes;
  if (!buffer.DumpToSingleSlice(&bytes).ok()) return "";
  return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}

}  // namespace

GrpcTransport::GrpcTransport(Options options) : options_(std::move(options)), stub_(Connect(options_)) {}

Attempt GrpcTransport::FailureOf(const ::grpc::Status& failure) {
  const std::optional<absl::Duration> delay = RetryDelayOf(failure);
  return {.status = {static_cast<absl::StatusCode>(failure.error_code()), failure.error_message()},
          .retryable = IsRetryable(failure.error_code(), delay.has_value()),
          .delay = delay};
}

Attempt GrpcTransport::Send(std::string_view request, absl::Duration timeout) {
  ::grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(timeout));
  if (options_.gzip) context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  for (const auto& [name, value] : options_.headers) context.AddMetadata(name, value);
  {
    absl::MutexLock lock(&mutex_);
    if (cancelled_) return {.status = absl::CancelledError("the service ends")};
    running_ = &context;
  }
  const ::grpc::Slice slice(request.data(), request.size());
  const ::grpc::ByteBuffer buffer(&slice, 1);
  ::grpc::ByteBuffer response;
  ::grpc::Status status;
  absl::Notification done;
  stub_.UnaryCall(&context, kMethod, ::grpc::StubOptions(), &buffer, &response, [&](::grpc::Status end) {
    status = std::move(end);
    done.Notify();
  });
  done.WaitForNotification();
  absl::MutexLock lock(&mutex_);
  running_ = nullptr;
  if (!status.ok()) return FailureOf(status);
  return {.status = absl::OkStatus(), .response = BytesOf(response)};
}

void GrpcTransport::Cancel() {
  absl::MutexLock lock(&mutex_);
  cancelled_ = true;
  if (running_ != nullptr) running_->TryCancel();
}

}  // namespace toolgate::observability::otlp
