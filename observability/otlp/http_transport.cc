#include "observability/otlp/http_transport.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/http/retry_delay.h"

namespace toolgate::observability::otlp {
namespace {

constexpr int64_t kMaxAnswerBytes = 64 << 10;
constexpr absl::Duration kConnectTimeout = absl::Seconds(5);

std::string Compressed(std::string_view bytes) {
  std::string compressed;
  google::protobuf::io::StringOutputStream out(&compressed);
  google::protobuf::io::GzipOutputStream gzip(&out);
  google::protobuf::io::CodedOutputStream writer(&gzip);
  writer.WriteRaw(bytes.data(), static_cast<int>(bytes.size()));
  writer.Trim();
  gzip.Close();
  return compressed;
}

bool IsTaken(int status) { return status >= 200 && status < 300; }

bool IsRetryable(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

// The body of a failure is not shown: it is the receiver's, and of any length.
Attempt FailureOf(const http::ResponseHead& head) {
  Attempt failure{.status = absl::UnavailableError(absl::StrCat("the receiver answered with status ", head.status)),
                  .retryable = IsRetryable(head.status)};
  if (!failure.retryable) {
    failure.status = absl::FailedPreconditionError(failure.status.message());
  } else {
    failure.delay = http::ParseRetryAfter(head.Find("retry-after"), Clock::Real().Now());
  }
  return failure;
}

}  // namespace

HttpTransport::HttpTransport(std::unique_ptr<http::Client> client, Options options)
    : options_(std::move(options)), client_(std::move(client)) {}

http::Request HttpTransport::RequestOf(std::string_view body, absl::Duration timeout) const {
  http::Request request;
  request.method = "POST";
  request.url = options_.url;
  for (const auto& [name, value] : options_.headers) request.headers.push_back({name, value});
  request.headers.push_back({"content-type", "application/x-protobuf"});
  request.headers.push_back({"user-agent", absl::StrCat("OTel-OTLP-Exporter-toolgate/", options_.version)});
  if (options_.gzip) request.headers.push_back({"content-encoding", "gzip"});
  request.body = options_.gzip ? Compressed(body) : std::string(body);
  request.timeout = timeout;
  request.connect_timeout = std::min(timeout, kConnectTimeout);
  request.idle_timeout = timeout;
  request.max_body_bytes = kMaxAnswerBytes;
  request.private_addresses = true;
  return request;
}

Attempt HttpTransport::Send(std::string_view request, absl::Duration timeout) {
  const auto wait = [this](fibers::Event& event, absl::Duration longest) {
    return timer_.Wait(event, cancellation_, Clock::Real().Monotonic() + longest);
  };
  if (cancellation_.cancelled()) return {.status = absl::CancelledError("the service ends")};
  const std::unique_ptr<http::Exchange> exchange = client_->Start(RequestOf(request, timeout));
  absl::StatusOr<http::Response> response = http::ReadAll(*exchange, wait);
  if (cancellation_.cancelled()) return {.status = absl::CancelledError("the service ends")};
  if (!response.ok()) {
    const absl::Status& status = response.status();
    return {.status = status, .retryable = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)};
  }
  if (!IsTaken(response->head.status)) return FailureOf(response->head);
  return {.status = absl::OkStatus(), .response = std::move(response->body)};
}

}  // namespace toolgate::observability::otlp
