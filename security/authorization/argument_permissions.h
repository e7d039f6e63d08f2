// Which further permissions a call needs because of the arguments that it carries.
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

// The keyword of an argument schema that says which further permission a call needs when it gives the value where the
// keyword stands: {"assignedTo": {"type": "string", "x-toolgate-permission": "task:assign"}}. A null is given as well.
inline constexpr std::string_view kPermissionKeyword = "x-toolgate-permission";

// The annotations of one argument schema, compiled to the paths on which they stand: at any depth, in objects and in
// arrays. Follows properties, additionalProperties, prefixItems, items, allOf, anyOf, oneOf, if, then, else and local
// $ref. Every branch counts, whether or not the value is the branch's: what an annotation asks for does not hang on
// another keyword. Immutable, hence thread-safe.
class ArgumentPermissions {
 public:
  // Asks for nothing.
  ArgumentPermissions() = default;

  // INVALID_ARGUMENT, naming the place, when an annotation is no permission's name, or stands where it would not be
  // enforced: on the arguments as a whole, or where only a keyword leads that is not followed.
  static absl::StatusOr<ArgumentPermissions> Compile(const Json& argument_schema);

  // What `arguments` need. They are at most as deep as layer 2 lets them be.
  PermissionSet NeedsOf(const Json& arguments) const;

 private:
  friend class ArgumentPermissionsCompiler;

  // What holds for one place in the arguments. A place below which nothing is asked for has none.
  struct Node {
    PermissionSet permissions;
    std::map<std::string, std::optional<size_t>, std::less<>> properties;
    std::optional<size_t> other;                // For properties that have no row above.
    std::vector<std::optional<size_t>> prefix;  // By index; for the elements behind it:
    std::optional<size_t> items;
  };

  void Collect(const Json& value, size_t node, PermissionSet& needs) const;

  std::vector<Node> nodes_;  // The first one is the root; empty when nothing is asked for.
};

}  // namespace toolgate::security::authorization

#endif  // TOOLGATE_SECURITY_AUTHORIZATION_ARGUMENT_PERMISSIONS_H_
