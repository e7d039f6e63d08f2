// Both steps of an identity at once.
#ifndef TOOLGATE_TESTS_SUPPORT_IDENTIFY_H_
#define TOOLGATE_TESTS_SUPPORT_IDENTIFY_H_

#include "absl/status/statusor.h"
#include "common/status_macros.h"
#include "security/identity/identity.h"

namespace toolgate::testing {

// The caller of an RPC with this claim over this connection.
inline absl::StatusOr<Caller> Identify(security::identity::Identity& identity, const Caller& claimed,
                                       const security::Connection& connection) {
  ASSIGN_OR_RETURN(const security::Principal principal, identity.Authenticate(connection));
  return identity.Identify(principal, claimed);
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_IDENTIFY_H_
