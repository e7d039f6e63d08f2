// The issuers whose bearer tokens are taken.
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

// One issuer of the configuration, with what holds for all of them filled in.
struct IssuerConfig {
  std::string path;  // Where it stands: "identity.jwt", or "identity.jwt.issuers[0]".
  config::v1::Jwt jwt;
};

// The one of `config`, or those of its list; none when it names none.
std::vector<IssuerConfig> IssuersOf(const config::v1::Jwt& config);

// Hands a token to the issuer that it names, which alone checks it, under its own keys: what another issuer's key has
// signed is worth nothing there. The name is not believed before: it only chooses who checks. Thread-safe.
class TokenIssuers {
 public:
  // By the value of "iss".
  using ByName = absl::flat_hash_map<std::string, std::unique_ptr<TokenAuthenticator>>;

  // At least one.
  explicit TokenIssuers(ByName issuers) : issuers_(std::move(issuers)) {}

  // UNAUTHORIZED, with what is wrong; OVERLOADED when the issuer's keys cannot be known.
  absl::StatusOr<std::shared_ptr<const Caller>> Authenticate(std::string_view token) const;

 private:
  absl::StatusOr<TokenAuthenticator*> Find(std::string_view token) const;

  const ByName issuers_;
  // Takes a token apart to see whom it names; which algorithms are allowed is the issuer's to say.
  const jose::JwsVerifier reader_{{.algorithms = jose::AllAlgorithms()}};
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_TOKEN_ISSUERS_H_
