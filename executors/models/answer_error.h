// Errors about what a model service answered. All are EXECUTION_ERRORs; none quotes the answer.
#ifndef TOOLGATE_EXECUTORS_MODELS_ANSWER_ERROR_H_
#define TOOLGATE_EXECUTORS_MODELS_ANSWER_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "common/json.h"

namespace toolgate::executors::models {

// "The model's answer cannot be used: <problem>." A repeat may mend it.
absl::Status UnusableAnswer(std::string_view problem);
// The same about its content, which depends on what was asked: the service works (Blame::kRequest). For an answer that
// is empty, refused, or not what was wanted, but not for a protocol that is broken.
absl::Status UnwantedAnswer(std::string_view problem);
// The same, where a repeat would end alike: it exceeds a bound of ours, or the service blocked the request.
absl::Status HopelessAnswer(std::string_view problem);

// An error object that stands in place of an answer, or in its stream. Its type, status or code decides about the words
// and about `retryable`, and whether the request is to blame; an unknown one is a failure of the service that a repeat
// may mend.
absl::Status ReportedError(const Json& error);

// The error that a body, or an event, reports in one of the forms that services have for it; OK if it reports none.
// Proxies and inference servers answer errors with status 200.
absl::Status ErrorInBody(const Json& body);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_ANSWER_ERROR_H_
