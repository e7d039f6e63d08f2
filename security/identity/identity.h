// The one place that decides who a call is for.
#ifndef TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
#define TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_

#include "absl/status/statusor.h"
#include "common/caller.h"
#include "security/tool_call.h"

namespace toolgate::security::identity {

// Thread-safe. An implementation stands for a way of authenticating; every RPC goes through it.
class Identity {
 public:
  virtual ~Identity() = default;

  // The caller with roles, from what the wire claims and what the connection proves. UNAUTHORIZED without good
  // credentials, FORBIDDEN when the claim says more than the credentials allow, INVALID_PARAMS when it is malformed.
  virtual absl::StatusOr<Caller> Identify(const Caller& claimed, const Connection& connection) = 0;
};

// Checks the form of a claimed caller (characters, lengths, time zone) and fills in "default" for an empty workspace
// and user. Every implementation begins with it.
absl::StatusOr<Caller> CheckClaim(const Caller& claimed);

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
