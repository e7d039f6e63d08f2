// Error messages for refused arguments.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_REFUSAL_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_REFUSAL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/tool_error.h"

namespace toolgate::security::param_validation {

// The first `most` violations as sentences, the last one without its full stop, and the number of further ones: `at
// "/limit": expected at most 50, found integer (maximum). And 3 more`.
std::string Sentences(const std::vector<Violation>& violations, size_t most);

// A ToolError status with the rows, of which there must be at least one: MISSING_REQUIRED if each is of the rule
// "required", INVALID_PARAMS otherwise. The message describes the first few.
absl::Status RefusalOf(std::vector<Violation> violations);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_REFUSAL_H_
