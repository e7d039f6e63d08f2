// Roles that callers have without being granted them.
#ifndef TOOLGATE_SECURITY_IDENTITY_BUILT_IN_ROLES_H_
#define TOOLGATE_SECURITY_IDENTITY_BUILT_IN_ROLES_H_

namespace toolgate::security::identity {

// Role of the callers of a development listener. Where callers are identified by credentials, the role exists in the
// configuration only if the operator's file defines it (services/config).
inline constexpr char kDeveloperRole[] = "developer";
// Role of guests: those of a development listener and those on whose behalf a trusted service calls. A token's claim
// cannot grant it.
inline constexpr char kGuestRole[] = "guest";

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_BUILT_IN_ROLES_H_
