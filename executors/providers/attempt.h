// One attempt to call a provider.
#ifndef TOOLGATE_EXECUTORS_PROVIDERS_ATTEMPT_H_
#define TOOLGATE_EXECUTORS_PROVIDERS_ATTEMPT_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/fibers/wait.h"
#include "common/http/client.h"
#include "executors/providers/failure.h"
#include "observability/provider_call.h"
#include "observability/tracing/call_span.h"
#include "observability/tracing/client_span.h"

namespace toolgate::executors::providers {

// Those who are told of attempts. Borrowed.
struct AttemptObservers {
  const std::string& provider;
  const Clock& clock;
  const observability::OnProviderCall& on_call;        // May be null.
  const observability::OnProviderFailure& on_failure;  // May be null.
};

// Sends a request when it is made. A span and a report to the observers that end when it is destroyed, which cancels an
// exchange that has not ended. Errors are ToolErrors, and those of `wait`. Used by one thread at a time.
class Attempt {
 public:
  // `resends`: attempts before this one. `span_name` as ClientSpan has it.
  Attempt(AttemptObservers observers, http::Client& client, http::Request request,
          const observability::tracing::CallSpan& call, std::string_view span_name, int resends);

  // Waits for the head of the response. An error unless its status is 200 to 299.
  absl::Status AwaitHead(fibers::Wait wait);
  const http::ResponseHead& head() const { return head_; }
  // For attributes besides those of HTTP.
  observability::tracing::ClientSpan& span() { return span_; }
  // The next piece of the body; empty at its end.
  absl::StatusOr<std::string> Next(fibers::Wait wait);

  // Failure of the provider; nothing while all is well, or when the call itself had to stop.
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  void SetAttributes(const http::Request& request, int resends);
  // The error for what an exchange answered.
  absl::Status Judge(const absl::Status& status);
  absl::Status Fail(Failure failure, std::string_view detail);
  // The beginning of the body, for the log. Takes a second at most.
  std::string ErrorBody(fibers::Wait wait);

  const AttemptObservers observers_;
  observability::ProviderCall report_;
  observability::tracing::ClientSpan span_;
  std::unique_ptr<http::Exchange> exchange_;
  http::ResponseHead head_;
  std::optional<Failure> failure_;
};

}  // namespace toolgate::executors::providers

#endif  // TOOLGATE_EXECUTORS_PROVIDERS_ATTEMPT_H_
