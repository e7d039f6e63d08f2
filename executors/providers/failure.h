// The meaning of a failed attempt to call a provider.
#ifndef TOOLGATE_EXECUTORS_PROVIDERS_FAILURE_H_
#define TOOLGATE_EXECUTORS_PROVIDERS_FAILURE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/http/client.h"
#include "common/http/retries.h"
#include "common/tool_error.h"
#include "observability/provider_call.h"

namespace toolgate::executors::providers {

using http::Repeat;

struct Failure {
  ToolError error;  // For the caller.
  observability::ProviderOutcome outcome = observability::ProviderOutcome::kFailed;
  Repeat repeat = Repeat::kNever;
  std::string type;  // For the span: "503", "UNAVAILABLE".
};

// Of an answer with a status that is not 200 to 299. `now` is for a Retry-After that is a date.
Failure FailureOf(const std::string& provider, const http::ResponseHead& head, absl::Time now);

// Of an exchange that ended with an error of http::Exchange. `sent`: Exchange::may_have_been_sent.
Failure FailureOf(const std::string& provider, const absl::Status& status, bool sent);

}  // namespace toolgate::executors::providers

#endif  // TOOLGATE_EXECUTORS_PROVIDERS_FAILURE_H_
