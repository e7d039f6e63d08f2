// `toolgate inspect injection`: one text in, one verdict out.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_INSPECT_INJECTION_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_INSPECT_INJECTION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "security/injection_defence/detector.h"

namespace toolgate::security::injection_defence {

// `line` is {"text": "…"}; the answer is {"flagged", "score", "findings": [{"rule_id", "family", "weight", "offset"}]},
// without a line end. INVALID_ARGUMENT for any other line.
absl::StatusOr<std::string> InspectInjection(const Detector& detector, std::string_view line);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_INSPECT_INJECTION_H_
