#include "security/identity/development_identity.h"

#include "common/status_macros.h"

namespace toolgate::security::identity {

absl::StatusOr<Caller> DevelopmentIdentity::Identify(const Caller& claimed, const Connection& /*connection*/) {
  ASSIGN_OR_RETURN(Caller caller, CheckClaim(claimed));
  caller.service = "development";
  caller.roles = {caller.is_guest ? "guest" : "developer"};
  return caller;
}

}  // namespace toolgate::security::identity
