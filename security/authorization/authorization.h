// Decides which callers may call which tools.
#ifndef TOOLGATE_SECURITY_AUTHORIZATION_AUTHORIZATION_H_
#define TOOLGATE_SECURITY_AUTHORIZATION_AUTHORIZATION_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "executors/tool.h"
#include "security/authorization/argument_permissions.h"
#include "security/authorization/permissions.h"
#include "security/config_check.h"
#include "security/layer.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::authorization {

// Reports permissions and tools of roles that do not exist.
void CheckGrants(const std::vector<executors::Tool>& tools, const PermissionTable& permissions,
                 const config::v1::Identity& config, yaml::ReportProblem report);

// Decides by the caller's roles, each of which grants permissions, and by the permissions of its token. A call needs
// all permissions that its tool names, and those of its annotated arguments. Only internal tools may name none, because
// they decide themselves; they are open to everybody with any permission at all. Default is deny: a caller without
// roles, or with only roles that are not in the configuration, may do nothing. Immutable after Create, hence
// thread-safe.
//
// Refusals: FORBIDDEN, with the missing permissions in the message and in the fact "missingPermissions".
class Authorization final : public Layer {
 public:
  // INVALID_ARGUMENT, with the place and what would be right, for the first problem of CheckGrants, or if a tool names
  // no permission or an unknown one, or its schema has an annotation (ArgumentPermissions) in a place where it would
  // not be enforced.
  static absl::StatusOr<std::unique_ptr<Authorization>> Create(const std::vector<executors::Tool>& tools,
                                                               PermissionTable permissions,
                                                               const config::v1::Identity& config);

  std::string_view name() const override { return "authorization"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

  // Whether the caller has `permission` ("audit:read"). False for an unknown one.
  bool May(const Caller& caller, std::string_view permission) const;
  // Whether the caller has the permissions that every call of `tool` needs; some arguments may need more.
  bool MayUse(const Caller& caller, const executors::Tool& tool) const;
  // Whether one of the caller's roles may call `tool` without a person's approval.
  bool AutoApproves(const Caller& caller, const executors::Tool& tool) const;

 private:
  struct RoleGrants {
    PermissionSet permissions;
    std::vector<bool> auto_approves;  // By Tool::index.
  };
  struct ToolNeeds {
    PermissionSet permissions;
    ArgumentPermissions arguments;
  };

  explicit Authorization(PermissionTable permissions) : table_(std::move(permissions)) {}

  absl::StatusOr<ToolNeeds> CompileTool(const executors::Tool& tool) const;
  absl::StatusOr<RoleGrants> CompileRole(const std::vector<executors::Tool>& tools, const config::v1::Role& role) const;
  const RoleGrants* FindRole(std::string_view name) const;
  PermissionSet PermissionsOf(const Caller& caller) const;
  static absl::Status RefuseStranger(const ToolCall& call);
  absl::Status Refuse(const ToolCall& call, const PermissionSet& missing) const;

  const PermissionTable table_;
  std::vector<ToolNeeds> tools_;  // By Tool::index.
  absl::flat_hash_map<std::string, RoleGrants> roles_;
  absl::flat_hash_map<std::string, PermissionSet> patterns_;  // For patterns that callers bring with them.
};

}  // namespace toolgate::security::authorization

#endif  // TOOLGATE_SECURITY_AUTHORIZATION_AUTHORIZATION_H_
