#include "executors/providers/failure.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/grpc_status_name.h"
#include "common/http/retry_delay.h"

namespace toolgate::executors::providers {
namespace {

using observability::ProviderOutcome;

// Reading of an HTTP status. The text follows the provider's name.
struct StatusRow {
  int status;
  ErrorCode code;
  bool retryable;
  ProviderOutcome outcome;
  std::string_view text;
  Blame blame = Blame::kByCode;
};

constexpr StatusRow kStatuses[] = {
    {400, ErrorCode::kInvalidParams, false, ProviderOutcome::kRefused, "refused the request as invalid"},
    {401, ErrorCode::kExecutionError, false, ProviderOutcome::kRefused, "refused the service's key"},
    {402, ErrorCode::kExecutionError, false, ProviderOutcome::kRefused, "asks for payment"},
    // Of some providers: the content offends against their policy.
    {403, ErrorCode::kExecutionError, false, ProviderOutcome::kRefused, "refused the service's key or the request",
     Blame::kRequest},
    {404, ErrorCode::kExecutionError, false, ProviderOutcome::kRefused, "does not know the address or model"},
    {408, ErrorCode::kExecutionError, true, ProviderOutcome::kTimeout, "gave up waiting"},
    {413, ErrorCode::kInvalidParams, false, ProviderOutcome::kRefused, "refused the request as too large"},
    {422, ErrorCode::kInvalidParams, false, ProviderOutcome::kRefused, "refused the request as invalid"},
    {429, ErrorCode::kExecutionError, true, ProviderOutcome::kThrottled, "takes no more requests at present"},
    {500, ErrorCode::kExecutionError, true, ProviderOutcome::kFailed, "failed"},
    {502, ErrorCode::kExecutionError, true, ProviderOutcome::kFailed, "is not available at present"},
    {503, ErrorCode::kExecutionError, true, ProviderOutcome::kFailed, "is not available at present"},
    {504, ErrorCode::kExecutionError, true, ProviderOutcome::kTimeout, "did not answer in time"},
    // Of some providers: overloaded.
    {529, ErrorCode::kExecutionError, true, ProviderOutcome::kThrottled, "takes no more requests at present"},
};

StatusRow RowOf(int status) {
  for (const StatusRow& row : kStatuses) {
    if (row.status == status) return row;
  }
  constexpr int kFirstServerError = 500;
  if (status >= kFirstServerError) {
    return {status, ErrorCode::kExecutionError, true, ProviderOutcome::kFailed, "failed"};
  }
  // One of 4xx may be about the content. A redirect that is not followed, or a proxy's refusal, is the configuration's.
  const Blame blame = status >= 400 && status != 407 ? Blame::kRequest : Blame::kByCode;
  return {status, ErrorCode::kExecutionError, false, ProviderOutcome::kRefused, "refused the request", blame};
}

ToolError ErrorOf(ErrorCode code, std::string message, bool retryable) {
  ToolError error;
  error.code = code;
  error.message = std::move(message);
  error.retryable = retryable;
  return error;
}

}  // namespace

Failure FailureOf(const std::string& provider, const http::ResponseHead& head, absl::Time now) {
  const StatusRow row = RowOf(head.status);
  const std::string message = absl::StrCat(provider, " ", ToAbsl(row.text), " (HTTP status ", head.status, ")");
  Failure failure{ErrorOf(row.code, message, row.retryable), row.outcome, http::RepeatAfter(head.status),
                  absl::StrCat(head.status)};
  failure.error.blame = row.blame;
  if (row.retryable) failure.error.retry_after = http::ParseRetryAfter(head.Find("retry-after"), now);
  return failure;
}

Failure FailureOf(const std::string& provider, const absl::Status& status, bool sent) {
  const std::string type(ToAbsl(GrpcStatusName(static_cast<int>(status.code()))));
  const Repeat repeat = http::RepeatAfter(status, sent);
  const auto error = [&provider](std::string_view text, bool retryable) {
    return ErrorOf(ErrorCode::kExecutionError, absl::StrCat(provider, " ", ToAbsl(text)), retryable);
  };
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return {error(sent ? "broke the connection" : "cannot be reached", true), ProviderOutcome::kFailed, repeat, type};
    case absl::StatusCode::kDeadlineExceeded:
      return {ErrorOf(ErrorCode::kTimeout, absl::StrCat(provider, " did not answer in time"), true),
              ProviderOutcome::kTimeout, repeat, type};
    case absl::StatusCode::kOutOfRange: {
      // Our bound, and the request decides about the size.
      ToolError too_large = error("sent a response that is too large", false);
      too_large.blame = Blame::kRequest;
      return {std::move(too_large), ProviderOutcome::kFailed, repeat, type};
    }
    case absl::StatusCode::kDataLoss:
      return {error("sent a response that cannot be read", false), ProviderOutcome::kFailed, repeat, type};
    case absl::StatusCode::kPermissionDenied:
      return {error("has an address that is not allowed", false), ProviderOutcome::kFailed, repeat, type};
    default:
      return {error("could not be asked", false), ProviderOutcome::kFailed, repeat, type};
  }
}

}  // namespace toolgate::executors::providers
