#include "security/identity/development_identity.h"

#include "common/status_macros.h"
#include "security/identity/built_in_roles.h"

namespace toolgate::security::identity {

absl::StatusOr<Principal> DevelopmentIdentity::Authenticate(const Connection& /*connection*/) { return Principal(); }

absl::StatusOr<Caller> DevelopmentIdentity::Identify(const Principal& /*principal*/, const Caller& claimed) {
  absl::StatusOr<Caller> caller = CheckClaim(claimed);
  if (!caller.ok()) return caller;
  caller->service = "development";
  caller->roles.emplace_back(caller->is_guest ? kGuestRole : kDeveloperRole);
  return caller;
}

}  // namespace toolgate::security::identity
