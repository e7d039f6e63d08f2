#include "storage/blobs/s3_blob_store.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/fibers/event.h"
#include "common/grpc_status_name.h"
#include "common/http/http_url.h"
#include "common/http/retry_delay.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/client_span.h"
#include "storage/blobs/blob_key.h"

namespace toolgate::storage::blobs {
namespace {

namespace tracing = observability::tracing;

// Of a response to anything but Get: an error in XML, which nobody reads.
constexpr int64_t kMaxErrorBytes = int64_t{64} << 10;

bool IsBucketName(std::string_view name) {
  return name.size() >= 3 && name.size() <= 63 && std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_islower(static_cast<unsigned char>(c)) ||
                  absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.';
         });
}

// URL of the bucket, with "/" at its end, and the prefix.
std::string ObjectBase(const S3BlobStore::Options& options) {
  const absl::string_view endpoint = absl::StripSuffix(options.endpoint, "/");
  if (options.path_style) return absl::StrCat(endpoint, "/", options.bucket, "/", options.prefix);
  const size_t host = endpoint.find("://") + 3;
  return absl::StrCat(endpoint.substr(0, host), options.bucket, ".", endpoint.substr(host), "/", options.prefix);
}

std::string PublicBase(const S3BlobStore::Options& options, const std::string& object_base) {
  if (options.public_url.empty()) return object_base;
  return absl::StrCat(absl::StripSuffix(options.public_url, "/"), "/", options.prefix);
}

// Every request is repeatable, a 500 asks for a repeat as well, and an attempt has a time limit of its own, so that
// one that took too long may be repeated.
http::Repeat RepeatOf(const absl::StatusOr<http::Response>& response) {
  if (response.ok()) {
    return response->head.status >= 500 ? http::Repeat::kAlways : http::RepeatAfter(response->head.status);
  }
  const absl::Status& status = response.status();
  if (GetToolError(status).has_value()) return http::Repeat::kNever;  // Of the call that waits.
  return absl::IsDeadlineExceeded(status) ? http::Repeat::kAlways : http::RepeatAfter(status, /*sent=*/true);
}

std::optional<absl::Duration> RetryAfterOf(const absl::StatusOr<http::Response>& response) {
  if (!response.ok()) return std::nullopt;
  return http::ParseRetryAfter(response->head.Find("retry-after"), Clock::Real().Now());
}

absl::Status ErrorOf(int status) {
  if (status >= 200 && status < 300) return absl::OkStatus();
  const std::string message = absl::StrCat("answered with the HTTP status ", status);
  if (status == 401 || status == 403) {
    return absl::PermissionDeniedError(message + "; check its keys, region and bucket");
  }
  if (status == 404) return absl::NotFoundError(message + "; there is no such blob or bucket");
  if (status == 507) return absl::ResourceExhaustedError(message);
  return absl::UnavailableError(message);
}

// As BlobStore has it, for a request without a response. Those of the client name addresses.
absl::Status ConnectionError(const absl::Status& status) {
  if (GetToolError(status).has_value() || absl::IsFailedPrecondition(status)) return status;
  if (absl::IsOutOfRange(status)) return absl::OutOfRangeError("has a blob that is larger than that");
  if (absl::IsDeadlineExceeded(status)) return absl::UnavailableError("took too long to answer");
  if (absl::IsDataLoss(status)) return absl::UnavailableError("sent a response that is not HTTP");
  return absl::UnavailableError("could not be reached");
}

// The object's name is not told: it belongs to a workspace.
void Describe(const http::Request& request, int resends, tracing::ClientSpan& span) {
  span.Set(tracing::kHttpRequestMethod, request.method);
  if (const auto url = http::HttpUrl::Parse(request.url); url.ok()) {
    span.Set(tracing::kServerAddress, url->host);
    span.Set(tracing::kServerPort, int64_t{url->port});
  }
  if (resends > 0) span.Set(tracing::kHttpRequestResendCount, int64_t{resends});
}

// As the conventions for HTTP clients have it: a status of 400 or more is an error.
void Describe(const absl::StatusOr<http::Response>& response, tracing::ClientSpan& span) {
  if (response.ok()) {
    const int status = response->head.status;
    span.Set(tracing::kHttpResponseStatusCode, int64_t{status});
    if (status >= 400) span.Fail(std::to_string(status));
  } else if (GetToolError(response.status()).has_value()) {  // Of the call that waits.
    span.Fail(absl::IsDeadlineExceeded(response.status()) ? "timeout" : "cancelled");
  } else {
    span.Fail(GrpcStatusName(static_cast<int>(response.status().code())));
  }
}

}  // namespace

// One request, as often as it is sent.
struct S3BlobStore::Call {
  std::string_view method;
  std::string_view key;
  std::string_view media_type = {};
  std::string_view body = {};
  int64_t max_response_bytes = kMaxErrorBytes;
};

S3BlobStore::S3BlobStore(Options options, std::string object_base, std::shared_ptr<http::ClientPool> clients)
    : options_(std::move(options)),
      object_base_(std::move(object_base)),
      public_base_(PublicBase(options_, object_base_)),
      access_key_(options_.access_key),
      secret_key_(options_.secret_key),
      retries_(options_.max_attempts, Clock::Real()),
      clients_(std::move(clients)) {}

absl::Status S3BlobStore::Check(const Options& options) {
  const auto wrong = [&](std::string_view field, std::string_view problem) {
    return absl::InvalidArgumentError(absl::StrCat(options.section, ".", ToAbsl(field), ": ", ToAbsl(problem)));
  };
  if (!http::HttpUrl::Parse(options.endpoint).ok() || options.endpoint.find_first_of("?#") != std::string::npos) {
    return wrong("endpoint", "must be a URL such as https://s3.eu-central-1.amazonaws.com");
  }
  if (!IsBucketName(options.bucket)) {
    return wrong("bucket", "must have 3 to 63 lower-case letters, digits, \"-\" and \".\"");
  }
  if (options.region.empty()) return wrong("region", "is empty; services without regions accept us-east-1");
  if (!options.prefix.empty() && !IsBlobKey(options.prefix + "x")) {
    return wrong("prefix", "must have letters, digits, \"-\", \"_\", \".\" and \"/\" only, and not begin with \"/\"");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<S3BlobStore>> S3BlobStore::Create(Options options,
                                                                 std::shared_ptr<http::ClientPool> clients) {
  RETURN_IF_ERROR(Check(options));
  std::string base = ObjectBase(options);
  return std::unique_ptr<S3BlobStore>(new S3BlobStore(std::move(options), std::move(base), std::move(clients)));
}

absl::Status S3BlobStore::Configured() const {
  RETURN_IF_ERROR(access_key_.Read().status());
  return secret_key_.Read().status();
}

absl::StatusOr<http::Request> S3BlobStore::RequestFor(const Call& call) const {
  http::AwsSignature signature;
  ASSIGN_OR_RETURN(signature.access_key, access_key_.Read());
  ASSIGN_OR_RETURN(signature.secret_key, secret_key_.Read());
  signature.region = options_.region;
  http::Request request;
  request.method = call.method;
  request.url = absl::StrCat(object_base_, ToAbsl(call.key));
  if (!call.media_type.empty()) request.headers.push_back({"content-type", std::string(call.media_type)});
  request.body = call.body;
  request.signature = std::move(signature);
  request.timeout = options_.timeout;
  request.max_body_bytes = call.max_response_bytes;
  request.private_addresses = true;
  return request;
}

absl::StatusOr<http::Response> S3BlobStore::Attempt(const Call& call, const Scope& scope, int resends) {
  ASSIGN_OR_RETURN(http::Request request, RequestFor(call));
  ASSIGN_OR_RETURN(http::Client* const client, clients_->ClientFor(options_.route));
  tracing::ClientSpan span(scope.span, absl::StrCat(ToAbsl(call.method), " blob"));
  Describe(request, resends, span);
  for (auto& [name, value] : span.Headers()) request.headers.push_back({name, value});
  const std::unique_ptr<http::Exchange> exchange = client->Start(std::move(request));
  absl::StatusOr<http::Response> response = http::ReadAll(*exchange, scope.wait);
  Describe(response, span);
  return response;
}

absl::StatusOr<http::Response> S3BlobStore::Send(const Call& call, const Scope& scope) {
  RETURN_IF_ERROR(CheckBlobKey(call.key));
  retries_.CountRequest();
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<http::Response> response = Attempt(call, scope, attempt - 1);
    const std::optional<absl::Duration> pause =
        retries_.PauseBefore(attempt + 1, RepeatOf(response), /*repeatable=*/true, RetryAfterOf(response));
    if (!pause.has_value()) {
      if (!response.ok()) return ConnectionError(response.status());
      return response;
    }
    fibers::Event never;
    RETURN_IF_ERROR(scope.wait(never, *pause).status());
    if (scope.retries != nullptr) ++*scope.retries;
  }
}

absl::Status S3BlobStore::Put(std::string_view key, std::string_view media_type, std::string_view bytes,
                              const Scope& scope) {
  ASSIGN_OR_RETURN(const http::Response response, Send({"PUT", key, media_type, bytes}, scope));
  return ErrorOf(response.head.status);
}

absl::StatusOr<std::string> S3BlobStore::Get(std::string_view key, int64_t max_bytes, const Scope& scope) {
  Call call{"GET", key};
  call.max_response_bytes = std::max(max_bytes, kMaxErrorBytes);
  ASSIGN_OR_RETURN(http::Response response, Send(call, scope));
  RETURN_IF_ERROR(ErrorOf(response.head.status));
  if (static_cast<int64_t>(response.body.size()) > max_bytes) {
    return absl::OutOfRangeError("has a blob that is larger than that");
  }
  return std::move(response.body);
}

absl::StatusOr<bool> S3BlobStore::Has(std::string_view key, const Scope& scope) {
  ASSIGN_OR_RETURN(const http::Response response, Send({"HEAD", key}, scope));
  if (response.head.status == 404) return false;
  RETURN_IF_ERROR(ErrorOf(response.head.status));
  return true;
}

absl::Status S3BlobStore::Delete(std::string_view key, const Scope& scope) {
  ASSIGN_OR_RETURN(const http::Response response, Send({"DELETE", key}, scope));
  return response.head.status == 404 ? absl::OkStatus() : ErrorOf(response.head.status);
}

std::string S3BlobStore::UrlOf(std::string_view key) const { return absl::StrCat(public_base_, ToAbsl(key)); }

std::optional<std::string> S3BlobStore::KeyOf(std::string_view url) const { return KeyBelow(public_base_, url); }

}  // namespace toolgate::storage::blobs
