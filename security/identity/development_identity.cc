#include "security/identity/development_identity.h"

#include "common/status_macros.h"
#include "security/identity/built_in_roles.h"

namespace toolgate::security::identity {

absl::StatusOr<Principal> DevelopmentIdentity::Authenticate(const Connection& /*connection*/) { return Principal(); }

absl::StatusOr<Caller> DevelopmentIdentity::Identify(const Principal& /*principal*/, const Caller& claimed) {
  ASSIGN_OR_RETURN(Caller caller, CheckClaim(claimed));
  caller.service = "development";
  caller.roles = {caller.is_guest ? kGuestRole : kDeveloperRole};
  return caller;
}

}  // namespace toolgate::security::identity
