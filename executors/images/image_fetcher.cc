#include "executors/images/image_fetcher.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/http/client.h"
#include "common/status_macros.h"
#include "common/tool_error.h"

namespace toolgate::executors::images {
namespace {

constexpr absl::Duration kFetchTimeout = absl::Seconds(20);
constexpr int kMaxRedirects = 3;

// A prompt may have the model name any address, so that a server which refuses, is slow or does not exist says nothing
// about the provider.
absl::Status NotFetched(std::string_view cause, bool retryable) {
  ToolError error;
  error.blame = Blame::kRequest;
  error.code = ErrorCode::kExecutionError;
  error.message =
      absl::StrCat("the model answered with the address of an image, which could not be fetched: ", ToAbsl(cause));
  error.retryable = retryable;
  return ToStatus(error);
}

absl::Status FailureOf(const absl::Status& status) {
  if (GetToolError(status).has_value()) return BlameRequest(status);
  if (absl::IsPermissionDenied(status)) return NotFetched("it is not a public address", false);
  if (absl::IsOutOfRange(status)) return NotFetched("it is too large", false);
  if (absl::IsDeadlineExceeded(status)) return NotFetched("its server took too long", true);
  if (absl::IsInvalidArgument(status)) return NotFetched("it is not a valid address", false);
  return NotFetched("its server could not be reached", true);
}

}  // namespace

absl::StatusOr<std::string> ImageFetcher::Fetch(const std::string& url, int64_t max_bytes, fibers::Wait wait) {
  ASSIGN_OR_RETURN(http::Client* const client, clients_->ClientFor(route_));
  http::Request request;
  request.url = url;
  request.headers = {{"accept", "image/png, image/jpeg, image/webp, image/gif"}};
  request.timeout = kFetchTimeout;
  request.max_body_bytes = max_bytes;
  request.max_redirects = kMaxRedirects;
  const std::unique_ptr<http::Exchange> exchange = client->Start(std::move(request));
  absl::StatusOr<http::Response> response = http::ReadAll(*exchange, wait);
  if (!response.ok()) return FailureOf(response.status());
  const int status = response->head.status;
  if (status != 200) return NotFetched(absl::StrCat("the HTTP status was ", status), status >= 500);
  return std::move(response->body);
}

}  // namespace toolgate::executors::images
