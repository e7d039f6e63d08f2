// The one place that decides who a call is for.
#ifndef TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
#define TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/caller.h"
#include "security/tool_call.h"

namespace toolgate::security::identity {

// A way of authenticating. Every RPC takes two steps: it verifies the credentials before it reads the request, then
// compares the request's claim with them. Thread-safe.
class Identity {
 public:
  virtual ~Identity() = default;

  // Verifies the credentials alone. UNAUTHORIZED without good ones, OVERLOADED when they cannot be verified now. The
  // answer refers to this identity.
  virtual absl::StatusOr<Principal> Authenticate(const Connection& connection) = 0;

  // The caller with roles, from the claim in the request of a principal that this identity verified. FORBIDDEN when the
  // claim says more than the credentials allow, INVALID_PARAMS when it is malformed.
  virtual absl::StatusOr<Caller> Identify(const Principal& principal, const Caller& claimed) = 0;
};

// Whether `text` can name a workspace or a user: 1 to 128 characters of A-Z a-z 0-9 . _ : @ -.
bool IsId(std::string_view text);

// `claimed` with its time zone spelled as the zone database spells it. INVALID_PARAMS, naming the field, when something
// that a caller says of itself is malformed (characters, lengths, time zone). An empty field is well-formed. Every
// Identify begins with it.
absl::StatusOr<Caller> CheckForm(Caller claimed);

// `claimed` in good form, with "default" for an empty workspace and user, and without what no caller may claim
// (service, roles, permissions, claims).
absl::StatusOr<Caller> CheckClaim(Caller claimed);

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
