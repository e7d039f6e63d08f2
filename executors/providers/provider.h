// A service of others behind tools: how it is reached, what a failure of it means, and when it is asked again.
#ifndef TOOLGATE_EXECUTORS_PROVIDERS_PROVIDER_H_
#define TOOLGATE_EXECUTORS_PROVIDERS_PROVIDER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/fibers/wait.h"
#include "common/http/client.h"
#include "common/http/client_pool.h"
#include "executors/providers/settings.pb.h"
#include "observability/provider_call.h"
#include "observability/tracing/call_span.h"
#include "observability/tracing/client_span.h"

namespace toolgate::executors::providers {

// The call on whose behalf a provider is asked. Borrowed for the length of the request.
struct Scope {
  fibers::Wait wait;
  const observability::tracing::CallSpan& span;
  // Told when an attempt failed and another one follows. Null: nobody asks.
  int* retries = nullptr;
};

// A status by which this service says something that other services do not. `text` follows the provider's name.
struct StatusMeaning {
  int status;
  std::string_view text;  // Static.
};

struct ProviderRequest {
  std::string method = "POST";
  std::string path = {};  // Below base_url, with its slash and query.
  std::vector<http::Header> headers = {};
  std::string body = {};
  // Whether repeating the request does no harm once it may have reached the service. Otherwise it is repeated only if
  // it certainly has not, or was refused with 429 or 503.
  bool repeatable = false;
  // Open retries until the whole body has come, as Send does, instead of until the head has.
  bool whole = false;
  // Statuses of refusals that the configuration or the account is to blame for.
  std::vector<StatusMeaning> meanings = {};
  std::string span_name = {};  // Of few different values: "chat glm-4.6". Empty: the method.
  // Of the span of each attempt, by names of attribute_names.h.
  std::vector<std::pair<std::string_view, std::string>> span_attributes = {};
};

// A response that is still coming. Ends its span and its report when it is destroyed, which is before the call's end
// and the provider's.
class ProviderStream {
 public:
  virtual ~ProviderStream() = default;
  virtual const http::ResponseHead& head() const = 0;
  // As Exchange::Next, with errors as Provider::Send.
  virtual absl::StatusOr<std::string> Next(fibers::Wait wait) = 0;
  // The attempt's, for what the response tells.
  virtual observability::tracing::ClientSpan& span() = 0;
};

// Place of the key in a request.
enum class KeyForm { kNone, kBearer, kXApiKey, kXGoogApiKey };

// Retries with full jitter and within a budget: at most a tenth of the requests of the last minute, and ten. Waits as
// long as a Retry-After says, unless the call ends before; one of more than a minute ends the request. Every attempt is
// a span and a report to `on_call`. Thread-safe.
//
// Errors are ToolErrors. NOT_CONFIGURED says what to configure. TIMEOUT and EXECUTION_ERROR (retryable as the failure
// is) name the provider, a cause and the HTTP status, never a body, address or key: those are in the operator's log.
// INVALID_PARAMS: the provider works, and refused this request as invalid (400, 413, 422), which must not count against
// it. Nor must 403 and other refusals by a status of 4xx that depend on the request, nor a response beyond our bound:
// these are marked with Blame::kRequest. Errors of `wait` are passed on.
class Provider {
 public:
  struct Options {
    std::string name;  // As in limits, breakers and metrics.
    KeyForm key = KeyForm::kBearer;
    ProviderSettings settings;                              // A value for every field.
    std::string section;                                    // "artifacts.provider", for messages on its configuration.
    std::shared_ptr<http::ClientPool> clients;              // Never null.
    observability::OnProviderFailure on_failure = nullptr;  // Null: nobody logs.
  };

  virtual ~Provider() = default;

  // INVALID_ARGUMENT for settings that cannot work. `clock` is borrowed.
  static absl::StatusOr<std::shared_ptr<Provider>> Create(Options options, const Clock& clock,
                                                          observability::OnProviderCall on_call);

  // OK when it can be asked, else NOT_CONFIGURED with what is missing and where to set it. Cheap.
  virtual absl::Status Configured() const = 0;

  // A whole response, with a status of 200 to 299.
  virtual absl::StatusOr<http::Response> Send(const ProviderRequest& request, Scope& scope) = 0;
  // The same as it comes.
  virtual absl::StatusOr<std::unique_ptr<ProviderStream>> Open(const ProviderRequest& request, Scope& scope) = 0;

  virtual const std::string& name() const = 0;
  virtual const ProviderSettings& settings() const = 0;
};

}  // namespace toolgate::executors::providers

#endif  // TOOLGATE_EXECUTORS_PROVIDERS_PROVIDER_H_
