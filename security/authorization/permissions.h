// Permissions: those of the service, and those that families of tools declare.
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

// All permissions that a process knows. Immutable after Create, hence thread-safe.
class PermissionTable {
 public:
  // The service's own permissions (permissions.cc) and `declared`, each "domain:action"; one that the service has
  // itself adds nothing. INVALID_ARGUMENT for another form, for the domain "system", and for more than fit in a set.
  static absl::StatusOr<PermissionTable> Create(const std::vector<std::string>& declared);

  // The set for `pattern`: "domain:action", "domain:*" or "*". The domain "system" covers what all workspaces share;
  // "*" is everything else, so that a caller who may do anything in one workspace cannot read the others' data in a
  // backup. INVALID_ARGUMENT for anything else; the message lists the known domains, or the known actions of the
  // domain.
  absl::StatusOr<PermissionSet> ParsePattern(std::string_view pattern) const;

  // Exactly one permission, without wildcards. INVALID_ARGUMENT as above.
  absl::StatusOr<PermissionSet> ParsePermission(std::string_view permission) const;

  // Every pattern except "*".
  std::vector<std::string> DomainPatterns() const;

  // The names in `set`, ordered by domain, and in a domain as they were declared, those of the service first.
  std::vector<std::string> NamesOf(const PermissionSet& set) const;

 private:
  struct Permission {
    std::string domain;
    std::string action;
  };

  PermissionTable() = default;

  std::vector<std::string> KnownDomains() const;
  std::vector<std::string> KnownActions(std::string_view domain) const;

  // A permission's bit is its position, which nothing outside of the table knows.
  std::vector<Permission> rows_;
};

}  // namespace toolgate::security::authorization

#endif  // TOOLGATE_SECURITY_AUTHORIZATION_PERMISSIONS_H_
