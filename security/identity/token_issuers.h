// Issuers whose bearer tokens are accepted.
#ifndef TOOLGATE_SECURITY_IDENTITY_TOKEN_ISSUERS_H_
#define TOOLGATE_SECURITY_IDENTITY_TOKEN_ISSUERS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "security/identity/jose/jws_verifier.h"
#include "security/identity/token_authenticator.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::identity {

// One issuer of the configuration, completed with the settings that apply to all.
struct IssuerConfig {
  std::string path;  // Its place in the configuration: "identity.jwt", or "identity.jwt.issuers[0]".
  config::v1::Jwt jwt;
};

// The issuer of `config`, or those of its list; none if it names none.
std::vector<IssuerConfig> IssuersOf(const config::v1::Jwt& config);

// Passes a token to the issuer that it names, which alone checks it, with its own keys: a signature by another issuer's
// key is invalid there. The name is not trusted yet: it only selects the issuer. Thread-safe.
class TokenIssuers {
 public:
  // By the value of "iss".
  using ByName = absl::flat_hash_map<std::string, std::unique_ptr<TokenAuthenticator>>;

  // At least one.
  explicit TokenIssuers(ByName issuers) : issuers_(std::move(issuers)) {}

  // UNAUTHORIZED, with the problem; OVERLOADED if the issuer's keys cannot be determined.
  absl::StatusOr<std::shared_ptr<const Caller>> Authenticate(std::string_view token) const;

 private:
  absl::StatusOr<TokenAuthenticator*> Find(std::string_view token) const;

  const ByName issuers_;
  // Parses a token only to see which issuer it names; the issuer decides which algorithms are allowed.
  const jose::JwsVerifier reader_{{.algorithms = jose::AllAlgorithms()}};
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_TOKEN_ISSUERS_H_
