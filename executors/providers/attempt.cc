#include "executors/providers/attempt.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/http/http_url.h"
#include "common/tool_error.h"
#include "observability/tracing/attribute_names.h"

namespace toolgate::executors::providers {
namespace {

namespace tracing = observability::tracing;
using observability::ProviderOutcome;

constexpr size_t kMaxErrorBytes = 2048;
constexpr absl::Duration kErrorBodyWait = absl::Seconds(1);
constexpr int kFirstGood = 200;
constexpr int kLastGood = 299;

// Errors of the call itself are ToolErrors, those of exchanges are not.
bool IsOfCall(const absl::Status& status) { return GetToolError(status).has_value(); }

}  // namespace

Attempt::Attempt(AttemptObservers observers, http::Client& client, http::Request request, const tracing::CallSpan& call,
                 std::string_view span_name, int resends)
    : observers_(observers),
      report_(observers.on_call, observers.clock, observers.provider),
      span_(call, span_name.empty() ? std::string_view(request.method) : span_name) {
  SetAttributes(request, resends);
  for (auto& [name, value] : span_.Headers()) request.headers.push_back({name, value});
  exchange_ = client.Start(std::move(request));
}

void Attempt::SetAttributes(const http::Request& request, int resends) {
  span_.Set(tracing::kHttpRequestMethod, request.method);
  if (const auto url = http::HttpUrl::Parse(request.url); url.ok()) {
    span_.Set(tracing::kServerAddress, url->host);
    span_.Set(tracing::kServerPort, int64_t{url->port});
  }
  if (resends > 0) span_.Set(tracing::kHttpRequestResendCount, int64_t{resends});
}

absl::Status Attempt::AwaitHead(fibers::Wait wait) {
  absl::StatusOr<http::ResponseHead> head = exchange_->Head(wait);
  if (!head.ok()) return Judge(head.status());
  head_ = *std::move(head);
  span_.Set(tracing::kHttpResponseStatusCode, int64_t{head_.status});
  if (head_.status < kFirstGood || head_.status > kLastGood) {
    Failure failure = FailureOf(observers_.provider, head_, observers_.clock.Now());
    const std::string detail = absl::StrCat(failure.error.message, ": ", ErrorBody(wait));
    return Fail(std::move(failure), detail);
  }
  // A caller that has read enough of the body may leave the rest.
  report_.set_outcome(ProviderOutcome::kOk);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Attempt::Next(fibers::Wait wait) {
  absl::StatusOr<std::string> piece = exchange_->Next(wait);
  if (!piece.ok()) return Judge(piece.status());
  return piece;
}

absl::Status Attempt::Judge(const absl::Status& status) {
  if (!IsOfCall(status)) {
    return Fail(FailureOf(observers_.provider, status, exchange_->may_have_been_sent()), FromAbsl(status.message()));
  }
  const bool by_time = absl::IsDeadlineExceeded(status);
  report_.set_outcome(by_time ? ProviderOutcome::kTimeout : ProviderOutcome::kCancelled);
  span_.Fail(by_time ? "timeout" : "cancelled");
  return status;
}

absl::Status Attempt::Fail(Failure failure, std::string_view detail) {
  report_.set_outcome(failure.outcome);
  span_.Fail(failure.type);
  if (observers_.on_failure != nullptr) observers_.on_failure(observers_.provider, detail);
  failure_ = std::move(failure);
  return ToStatus(failure_->error);
}

std::string Attempt::ErrorBody(fibers::Wait wait) {
  const auto briefly = [wait](fibers::Event& event, absl::Duration /*timeout*/) -> absl::StatusOr<bool> {
    absl::StatusOr<bool> set = wait(event, kErrorBodyWait);
    if (set.ok() && !*set) return absl::DeadlineExceededError("the rest of the response did not come in time");
    return set;
  };
  std::string body;
  while (body.size() < kMaxErrorBytes) {
    const absl::StatusOr<std::string> piece = exchange_->Next(briefly);
    if (!piece.ok() || piece->empty()) break;
    body += *piece;
  }
  return body.substr(0, kMaxErrorBytes);
}

}  // namespace toolgate::executors::providers
