// Calls to providers: services of others behind tools, such as a model or a search engine.
#ifndef TOOLGATE_OBSERVABILITY_PROVIDER_CALL_H_
#define TOOLGATE_OBSERVABILITY_PROVIDER_CALL_H_

#include <functional>
#include <string_view>

#include "absl/time/time.h"
#include "common/clock.h"

namespace toolgate::observability {

enum class ProviderOutcome {
  kOk,
  kRefused,    // The provider refused the request: bad credentials, an invalid or forbidden request.
  kThrottled,  // It answered that there were too many requests.
  kFailed,     // It failed, could not be reached, or answered something unreadable.
  kTimeout,    // It did not answer in time.
  kCancelled,  // The caller did not want the answer any more.
};

// Told of each attempt to call a provider; retries count by themselves. `provider` is its name in the configuration.
// Thread-safe, and quick.
using OnProviderCall = std::function<void(std::string_view provider, ProviderOutcome outcome, absl::Duration duration)>;

// Told why an attempt failed, for the operator's log: `detail` may quote the provider's address and the beginning of
// its response, never a request or a key. Thread-safe.
using OnProviderFailure = std::function<void(std::string_view provider, std::string_view detail)>;

// One attempt, on the stack of the thread that makes it. Reports when it is destroyed; as cancelled if no outcome was
// set.
//
//   ProviderCall attempt(on_provider_call, clock, "tavily");
//   …
//   attempt.set_outcome(ProviderOutcome::kOk);
class ProviderCall {
 public:
  // Borrows all three; `on_call` may be null.
  ProviderCall(const OnProviderCall& on_call, const Clock& clock, std::string_view provider)
      : on_call_(on_call), clock_(clock), provider_(provider), started_(clock.Monotonic()) {}
  ~ProviderCall() {
    if (on_call_ != nullptr) on_call_(provider_, outcome_, clock_.Monotonic() - started_);
  }
  ProviderCall(const ProviderCall&) = delete;
  ProviderCall& operator=(const ProviderCall&) = delete;

  void set_outcome(ProviderOutcome outcome) { outcome_ = outcome; }

 private:
  const OnProviderCall& on_call_;
  const Clock& clock_;
  const std::string_view provider_;
  const absl::Duration started_;
  ProviderOutcome outcome_ = ProviderOutcome::kCancelled;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_PROVIDER_CALL_H_
