// What a caller is told about arguments that were refused.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_REFUSAL_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_REFUSAL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/tool_error.h"

namespace toolgate::security::param_validation {

// One violation as a sentence without its full stop: `at "/limit": expected at most 50, found integer (maximum)`.
std::string Sentence(const Violation& violation);

// A ToolError status that carries the rows, of which there must be at least one: MISSING_REQUIRED when each is of the
// rule "required", INVALID_PARAMS otherwise. The message tells of the first few.
absl::Status RefusalOf(std::vector<Violation> violations);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_REFUSAL_H_
