// ECMA-262 regular expressions, as JSON Schema writes them, in RE2's syntax.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_ECMA_REGEX_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_ECMA_REGEX_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace re2 {
class RE2;
}

namespace toolgate::security::param_validation {

// Translates `pattern` (Unicode mode) to RE2's syntax. INVALID_ARGUMENT if it is not ECMA-262; UNIMPLEMENTED for parts
// that a linear-time matcher cannot support: backreferences and look-around.
absl::StatusOr<std::string> TranslateEcmaRegex(std::string_view pattern);

// Translated and compiled, to be searched anywhere in a text. Thread-safe once made.
absl::StatusOr<std::unique_ptr<re2::RE2>> CompileEcmaRegex(std::string_view pattern);

// True if `pattern` is well-formed ECMA-262, whether or not RE2 can express it.
bool IsEcmaRegex(std::string_view pattern);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_ECMA_REGEX_H_
