// Restrictions of tools' arguments by roles.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_POLICIES_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_POLICIES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "common/json.h"
#include "executors/tool.h"
#include "security/config_check.h"
#include "security/param_validation/json_schema.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::param_validation {

// Compiles the schema of a policy from the configuration. An unknown keyword or format would have no effect, so it is
// refused, like everything that JsonSchema::Compile refuses.
absl::StatusOr<std::unique_ptr<const JsonSchema>> CompilePolicySchema(const std::string& text);

// Reports policies of tools that do not exist, that restrict nothing, whose schema CompilePolicySchema refuses, or that
// bind an argument that is not at the tool's top level, or bind to an unknown source.
void CheckPolicies(const std::vector<executors::Tool>& tools, const config::v1::Identity& config,
                   yaml::ReportProblem report);

// Property of the caller that an argument is bound to.
enum class BindingSource { kWorkspace, kUser, kUserName, kService, kClaim };

// The argument policies of all roles, compiled once. The policies of all of a caller's roles apply: an additional role
// never loosens another's. Immutable, hence thread-safe.
class ArgumentPolicies {
 public:
  // INVALID_ARGUMENT with the first problem of CheckPolicies.
  static absl::StatusOr<ArgumentPolicies> Create(const std::vector<executors::Tool>& tools,
                                                 const config::v1::Identity& config);

  bool empty() const { return roles_.empty(); }

  // Sets the bound arguments to the caller's own values, before anything else examines them. FORBIDDEN, with the path
  // and the rule "binding", if an argument has another value already, or the caller has none.
  absl::Status Bind(const Caller& caller, const executors::Tool& tool, Json& arguments) const;

  // Checks validated arguments against the schemas. FORBIDDEN, with the paths and rules, if they do not match.
  absl::Status Check(const Caller& caller, const executors::Tool& tool, const Json& arguments) const;

 private:
  struct Binding {
    std::string argument;
    BindingSource source;
    std::string claim;  // For kClaim.
    std::string text;   // As in the configuration.
  };
  struct Policy {
    std::unique_ptr<const JsonSchema> schema;  // Null: none.
    std::vector<Binding> bindings;
  };
  // By Tool::index; null if the role has no policy for the tool.
  using RolePolicies = std::vector<std::unique_ptr<const Policy>>;

  static absl::StatusOr<Policy> Compile(const config::v1::ArgumentPolicy& config);
  // The value, or null if the caller has none.
  static Json ValueOf(const Binding& binding, const Caller& caller);
  const Policy* Find(const std::string& role, const executors::Tool& tool) const;

  absl::flat_hash_map<std::string, RolePolicies> roles_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_POLICIES_H_
