// The one place that decides who a call is for.
#ifndef TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
#define TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_

#include <string_view>

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

// Whether `text` can name a workspace or a user: 1 to 128 characters of A-Z a-z 0-9 . _ : @ -.
bool IsId(std::string_view text);

// `claimed` with its time zone spelled as the zone database spells it. INVALID_PARAMS, naming the field, when something
// that a caller says of itself is malformed (characters, lengths, time zone). An empty field is well-formed. Every
// implementation begins with it, before credentials are looked at, so it touches no file that the caller names.
absl::StatusOr<Caller> CheckForm(Caller claimed);

// `claimed` in good form, with "default" for an empty workspace and user, and without what no caller may claim
// (service, roles, permissions, claims).
absl::StatusOr<Caller> CheckClaim(Caller claimed);

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_IDENTITY_H_
