// Permissions that a call needs in addition because of its arguments.
#ifndef TOOLGATE_SECURITY_AUTHORIZATION_ARGUMENT_PERMISSIONS_H_
#define TOOLGATE_SECURITY_AUTHORIZATION_ARGUMENT_PERMISSIONS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "security/authorization/permissions.h"

namespace toolgate::security::authorization {

// Keyword of an argument schema with the further permission that a call needs if it gives the annotated value:
// {"assignedTo": {"type": "string", "x-toolgate-permission": "task:assign"}}. A null counts as given.
inline constexpr std::string_view kPermissionKeyword = "x-toolgate-permission";

// The annotations of one argument schema, compiled to their paths: at any depth, in objects and in arrays. Follows
// properties, additionalProperties, prefixItems, items, allOf, anyOf, oneOf, if, then, else and local $ref. Every
// branch counts, whether or not the value matches it: a permission must not depend on another keyword. Immutable, hence
// thread-safe.
class ArgumentPermissions {
 public:
  // Requires nothing.
  ArgumentPermissions() = default;

  // INVALID_ARGUMENT, which names the place, if an annotation names no permission of `table`, or would not be
  // enforced: on the arguments as a whole, or in a place that only an unsupported keyword leads to.
  static absl::StatusOr<ArgumentPermissions> Compile(const PermissionTable& table, const Json& argument_schema);

  // Permissions that `arguments` need. Their depth is at most what layer 2 allows.
  PermissionSet NeedsOf(const Json& arguments) const;

 private:
  friend class ArgumentPermissionsCompiler;

  // Requirements of one place in the arguments. A place without requirements at or below it has no node.
  struct Node {
    PermissionSet permissions;
    std::map<std::string, std::optional<size_t>, std::less<>> properties;
    std::optional<size_t> other;                // For properties that have no row above.
    std::vector<std::optional<size_t>> prefix;  // By index; for the elements behind it:
    std::optional<size_t> items;
  };

  void Collect(const Json& value, size_t node, PermissionSet& needs) const;

  std::vector<Node> nodes_;  // The first one is the root; empty if nothing is required.
};

}  // namespace toolgate::security::authorization

#endif  // TOOLGATE_SECURITY_AUTHORIZATION_ARGUMENT_PERMISSIONS_H_
