// `toolgate inspect redact`: one text in, the masked text out.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_INSPECT_REDACT_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_INSPECT_REDACT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {

// `line` is {"text": "…"}; the answer is {"text", "masked", "kinds"}: the masked text, whether anything was masked, and
// which kinds. INVALID_ARGUMENT for any other line.
absl::StatusOr<std::string> InspectRedact(const Masker& masker, std::string_view line);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_INSPECT_REDACT_H_
