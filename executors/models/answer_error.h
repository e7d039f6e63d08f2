// Errors about what a model service answered. All are EXECUTION_ERRORs; none quotes the answer.
#ifndef TOOLGATE_EXECUTORS_MODELS_ANSWER_ERROR_H_
#define TOOLGATE_EXECUTORS_MODELS_ANSWER_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "common/json.h"

namespace toolgate::executors::models {

// "The model's answer cannot be used: <problem>." A repeat may mend it.
absl::Status UnusableAnswer(std::string_view problem);
// The same, where a repeat would end alike.
absl::Status HopelessAnswer(std::string_view problem);

// An error object that stands in place of an answer, or in its stream. Its type, status or code decides about the words
// and about `retryable`; an unknown one is a failure of the service that a repeat may mend.
absl::Status ReportedError(const Json& error);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_ANSWER_ERROR_H_
