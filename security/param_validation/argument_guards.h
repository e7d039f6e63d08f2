// Content that no tool's arguments may have, whatever its schema says.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_GUARDS_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_GUARDS_H_

#include <optional>
#include <string_view>

#include "common/json.h"
#include "common/tool_error.h"

namespace toolgate::security::param_validation {

// `__proto__`, `constructor` and `prototype`: keys that could pollute the prototypes of a JavaScript consumer.
bool IsPrototypeKey(std::string_view key);

// The first such key at any depth, as a violation of the rule "prototypeKey"; nothing, without an allocation, if there
// is none.
std::optional<Violation> FindPrototypeKey(const Json& arguments);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_GUARDS_H_
