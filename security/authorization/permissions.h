// All permissions.
#ifndef TOOLGATE_SECURITY_AUTHORIZATION_PERMISSIONS_H_
#define TOOLGATE_SECURITY_AUTHORIZATION_PERMISSIONS_H_

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::security::authorization {

// One bit for each known permission.
inline constexpr size_t kMaxPermissions = 128;
using PermissionSet = std::bitset<kMaxPermissions>;

// The set for `pattern`: "domain:action", "domain:*" or "*". The domain "system" covers what all workspaces share; "*"
// is everything else, so that a caller who may do anything in one workspace cannot read the others' data in a backup.
// INVALID_ARGUMENT for anything else; the message lists the known domains, or the known actions of the domain.
absl::StatusOr<PermissionSet> ParsePattern(std::string_view pattern);

// Exactly one permission, without wildcards. INVALID_ARGUMENT as above.
absl::StatusOr<PermissionSet> ParsePermission(std::string_view permission);

// Every pattern except "*".
std::vector<std::string> DomainPatterns();

// The names in `set`, in the order of the table in permissions.cc.
std::vector<std::string> NamesOf(const PermissionSet& set);

}  // namespace toolgate::security::authorization

#endif  // TOOLGATE_SECURITY_AUTHORIZATION_PERMISSIONS_H_
