// Identity of a listener without credentials.
#ifndef TOOLGATE_SECURITY_IDENTITY_DEVELOPMENT_IDENTITY_H_
#define TOOLGATE_SECURITY_IDENTITY_DEVELOPMENT_IDENTITY_H_

#include "security/identity/identity.h"

namespace toolgate::security::identity {

// Believes the caller's statements about itself. Only for loopback and Unix sockets: services/config refuses to start
// it on any other address. A signed-in caller has the role "developer", a guest the role "guest".
class DevelopmentIdentity final : public Identity {
 public:
  absl::StatusOr<Principal> Authenticate(const Connection& connection) override;
  absl::StatusOr<Caller> Identify(const Principal& principal, const Caller& claimed) override;
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_DEVELOPMENT_IDENTITY_H_
