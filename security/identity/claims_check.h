// Checks that a token with a valid signature is meant for this service, now.
#ifndef TOOLGATE_SECURITY_IDENTITY_CLAIMS_CHECK_H_
#define TOOLGATE_SECURITY_IDENTITY_CLAIMS_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "security/identity/jose/jws_verifier.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::identity {

// The registered claims of a JSON Web Token (RFC 7519 section 4.1) and the header's "typ". Immutable, hence
// thread-safe.
class ClaimsCheck {
 public:
  explicit ClaimsCheck(const config::v1::Jwt& config);

  struct Claims {
    Json all;
    absl::Time expires;  // Includes the clock skew.
  };

  // Returns the claims, or UNAUTHENTICATED with the problem, without any value of the token: not one JSON object with
  // distinct members, another "typ", a nested token, another issuer or audience, no "exp", expired, not valid yet,
  // issued in the future, or good for too long.
  absl::StatusOr<Claims> Check(const jose::VerifiedJws& token, absl::Time now) const;

 private:
  absl::Status CheckType(const Json& header) const;
  absl::Status CheckIssuerAndAudience(const Json& claims) const;
  absl::StatusOr<absl::Time> CheckTimes(const Json& claims, absl::Time now) const;

  const std::string issuer_;
  const std::vector<std::string> audiences_;
  std::vector<std::string> types_;  // Lower case, without "application/".
  const absl::Duration skew_;
  const absl::Duration max_lifetime_;  // Zero: any.
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_CLAIMS_CHECK_H_
