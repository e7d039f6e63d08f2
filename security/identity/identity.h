// The one place that decides on whose behalf a call is made.
#ifndef TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
#define TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/caller.h"
#include "security/tool_call.h"

namespace toolgate::security::identity {

// A way of authenticating. Every RPC takes two steps: it verifies the credentials before it reads the request, and then
// compares the request's claim with them. Thread-safe.
class Identity {
 public:
  virtual ~Identity() = default;

  // Verifies the credentials alone. UNAUTHORIZED if they are missing or invalid, OVERLOADED if they cannot be verified
  // now. The result refers to this identity.
  virtual absl::StatusOr<Principal> Authenticate(const Connection& connection) = 0;

  // Returns the caller with roles, from the claim in the request of a principal that this identity verified. FORBIDDEN
  // if the claim exceeds the credentials, INVALID_PARAMS if it is malformed.
  virtual absl::StatusOr<Caller> Identify(const Principal& principal, const Caller& claimed) = 0;
};

// Whether `text` is a valid id of a workspace or a user: 1 to 128 characters of A-Z a-z 0-9 . _ : @ -.
bool IsId(std::string_view text);

// Spells the time zone of `claimed` as in the zone database. INVALID_PARAMS, naming the field, if one of a caller's
// statements about itself is malformed (characters, lengths, time zone). An empty field is well-formed. Every Identify
// begins with it.
absl::Status CheckForm(Caller& claimed);

// Returns `claimed` in valid form, with "default" for an empty workspace and user, and without the fields that no
// caller may claim (service, roles, permissions, claims).
absl::StatusOr<Caller> CheckClaim(const Caller& claimed);

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
