#include "tests/support/fake_provider.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/fibers/event.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "observability/tracing/client_span.h"

namespace toolgate::testing {
namespace {

using executors::providers::ProviderRequest;
using executors::providers::ProviderStream;
using executors::providers::Scope;

class FakeStream final : public ProviderStream {
 public:
  FakeStream(FakeResponse response, const ProviderRequest& request, const Scope& scope)
      : response_(std::move(response)), span_(scope.span, request.span_name) {
    head_ = {.status = response_.status, .headers = response_.headers};
    for (const auto& [name, value] : request.span_attributes) span_.Set(name, value);
  }

  const http::ResponseHead& head() const override { return head_; }

  observability::tracing::ClientSpan& span() override { return span_; }

  absl::StatusOr<std::string> Next(fibers::Wait wait) override {
    // Gives the call a chance to stop, as a real stream does.
    fibers::Event ready;
    ready.Set();
    RETURN_IF_ERROR(wait(ready, absl::InfiniteDuration()).status());
    while (next_ < response_.pieces.size()) {
      std::string& piece = response_.pieces[next_++];
      if (!piece.empty()) return std::move(piece);
    }
    if (!response_.broken.ok()) return response_.broken;
    return std::string();
  }

 private:
  FakeResponse response_;
  observability::tracing::ClientSpan span_;
  http::ResponseHead head_;
  size_t next_ = 0;
};

absl::Status ErrorOf(const std::string& provider, int status) {
  ToolError error;
  error.message = absl::StrCat(provider, " answered with HTTP status ", status);
  error.retryable = status == 429 || status >= 500;
  return ToStatus(error);
}

}  // namespace

std::shared_ptr<FakeProvider> FakeProvider::Answering(std::string body) {
  return std::make_shared<FakeProvider>(
      [body = std::move(body)](const ProviderRequest&) { return FakeResponse{.pieces = {body}}; });
}

absl::Status FakeProvider::Configured() const { return configured_; }

absl::StatusOr<FakeResponse> FakeProvider::Take(const ProviderRequest& request) {
  RETURN_IF_ERROR(configured_);
  {
    absl::MutexLock lock(&mutex_);
    requests_.push_back(request);
  }
  ASSIGN_OR_RETURN(FakeResponse response, answer_(request));
  if (response.status < 200 || response.status > 299) return ErrorOf(name_, response.status);
  return response;
}

absl::StatusOr<http::Response> FakeProvider::Send(const ProviderRequest& request, Scope& /*scope*/) {
  ASSIGN_OR_RETURN(const FakeResponse response, Take(request));
  if (!response.broken.ok()) return response.broken;
  return http::Response{.head = {.status = response.status, .headers = response.headers},
                        .body = absl::StrJoin(response.pieces, "")};
}

absl::StatusOr<std::unique_ptr<ProviderStream>> FakeProvider::Open(const ProviderRequest& request, Scope& scope) {
  ASSIGN_OR_RETURN(FakeResponse response, Take(request));
  return std::make_unique<FakeStream>(std::move(response), request, scope);
}

std::vector<ProviderRequest> FakeProvider::requests() const {
  absl::MutexLock lock(&mutex_);
  return requests_;
}

}  // namespace toolgate::testing
