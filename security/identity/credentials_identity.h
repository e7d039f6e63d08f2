// Identity of a listener with credentials.
#ifndef TOOLGATE_SECURITY_IDENTITY_CREDENTIALS_IDENTITY_H_
#define TOOLGATE_SECURITY_IDENTITY_CREDENTIALS_IDENTITY_H_

#include <memory>
#include <utility>

#include "security/identity/identity.h"
#include "security/identity/service_directory.h"
#include "security/identity/token_issuers.h"

namespace toolgate::security::identity {

// Client certificates name services, tokens name users. Thread-safe.
//
// | certificate | token | the caller is |
// |---|---|---|
// | none | none | unknown: UNAUTHORIZED |
// | of an unknown service | any | unknown: UNAUTHORIZED |
// | of a trusted service | none | the user in the claim, with the service's roles; a guest has the role "guest" |
// | of another service | none | the service itself, in its one workspace |
// | any known or none | valid | the user in the token, with the token's roles |
// | any | invalid | unknown: UNAUTHORIZED, even if the certificate alone would suffice |
//
// A claim may omit what is known, but must not contradict it: FORBIDDEN, naming the field. A name that is not in the
// token cannot be chosen, and stays empty.
class CredentialsIdentity final : public Identity {
 public:
  // `tokens` may be null: then a call with a token is refused, because its sender means to be someone else.
  CredentialsIdentity(ServiceDirectory services, std::unique_ptr<TokenIssuers> tokens)
      : services_(std::move(services)), tokens_(std::move(tokens)) {}

  absl::StatusOr<Principal> Authenticate(const Connection& connection) override;
  absl::StatusOr<Caller> Identify(const Principal& principal, const Caller& claimed) override;

 private:
  const ServiceDirectory services_;
  const std::unique_ptr<TokenIssuers> tokens_;
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_CREDENTIALS_IDENTITY_H_
