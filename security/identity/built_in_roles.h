// The roles that callers have without being given them.
#ifndef TOOLGATE_SECURITY_IDENTITY_BUILT_IN_ROLES_H_
#define TOOLGATE_SECURITY_IDENTITY_BUILT_IN_ROLES_H_

namespace toolgate::security::identity {

// Of the callers of a development listener. Where callers are known by credentials, the configuration has no such role
// unless the operator's file writes one (services/config).
inline constexpr char kDeveloperRole[] = "developer";
// Of guests: those of a development listener and those for whom a trusted service speaks. No token's claim names it.
inline constexpr char kGuestRole[] = "guest";

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_BUILT_IN_ROLES_H_
