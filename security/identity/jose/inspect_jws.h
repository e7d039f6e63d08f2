// `toolgate inspect jws`: one line of JSON in, a verdict line out.
#ifndef TOOLGATE_SECURITY_IDENTITY_JOSE_INSPECT_JWS_H_
#define TOOLGATE_SECURITY_IDENTITY_JOSE_INSPECT_JWS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace toolgate::security::identity::jose {

// Input lines are {"jws": "…", "jwk": {…}} or {"jws": "…", "jwks": {"keys": […]}}. Every supported algorithm is
// allowed, also the symmetric ones, and private keys may be given: the keys are the user's own.
//
// Answers {"valid": true, "alg", "payload"} (the payload in base64url) or {"valid": false, "reason"}. INVALID_ARGUMENT
// for any other line. Thread-safe.
absl::StatusOr<std::string> InspectJws(std::string_view line);

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_INSPECT_JWS_H_
