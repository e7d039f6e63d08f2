#include "security/authorization/authorization.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "common/yaml/yaml_proto.h"

namespace toolgate::security::authorization {
namespace {

absl::Status At(std::string_view where, const absl::Status& problem) {
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(where), ": ", problem.message()));
}

}  // namespace

void CheckGrants(const std::vector<executors::Tool>& tools, const PermissionTable& permissions,
                 const config::v1::Identity& config, yaml::ReportProblem report) {
  for (const auto& [name, role] : Sorted(config.roles())) {
    const std::string path = yaml::YamlPathOfKey("identity.roles", name);
    if (name.empty()) report(path, "has an empty name");
    for (int i = 0; i < role.permissions_size(); ++i) {
      const absl::Status status = permissions.ParsePattern(role.permissions(i)).status();
      if (!status.ok()) report(absl::StrCat(path, ".permissions[", i, "]"), FromAbsl(status.message()));
    }
    CheckTools(path + ".auto_approve", role.auto_approve(), tools, report);
  }
}

absl::StatusOr<std::unique_ptr<Authorization>> Authorization::Create(const std::vector<executors::Tool>& tools,
                                                                     PermissionTable permissions,
                                                                     const config::v1::Identity& config) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) { CheckGrants(tools, permissions, config, report); }));
  auto layer = std::unique_ptr<Authorization>(new Authorization(std::move(permissions)));
  layer->tools_.resize(tools.size());
  for (const executors::Tool& tool : tools) {
    if (tool.index >= tools.size()) return absl::InternalError("tool indexes are not dense");
    absl::StatusOr<ToolNeeds> needs = layer->CompileTool(tool);
    if (!needs.ok()) return At(absl::StrCat("tool ", tool.definition.id), needs.status());
    layer->tools_[tool.index] = *std::move(needs);
  }
  for (const std::string& pattern : layer->table_.DomainPatterns()) {
    ASSIGN_OR_RETURN(layer->patterns_[pattern], layer->table_.ParsePattern(pattern));
  }
  for (const auto& [role_name, role] : config.roles()) {
    ASSIGN_OR_RETURN(RoleGrants grants, layer->CompileRole(tools, role));
    layer->roles_.emplace(role_name, std::move(grants));
  }
  return layer;
}

absl::StatusOr<Authorization::ToolNeeds> Authorization::CompileTool(const executors::Tool& tool) const {
  ToolNeeds needs;
  // An internal tool checks its permissions itself.
  if (tool.definition.permissions.empty() && !tool.definition.internal) {
    return absl::InvalidArgumentError("names no permission, so that nobody could be refused");
  }
  for (const std::string& permission : tool.definition.permissions) {
    ASSIGN_OR_RETURN(const PermissionSet set, table_.ParsePermission(permission));
    needs.permissions |= set;
  }
  ASSIGN_OR_RETURN(needs.arguments, ArgumentPermissions::Compile(table_, tool.definition.argument_schema));
  return needs;
}

absl::StatusOr<Authorization::RoleGrants> Authorization::CompileRole(const std::vector<executors::Tool>& tools,
                                                                     const config::v1::Role& role) const {
  RoleGrants grants;
  for (const std::string& pattern : role.permissions()) {
    ASSIGN_OR_RETURN(const PermissionSet set, table_.ParsePattern(pattern));
    grants.permissions |= set;
  }
  grants.auto_approves.resize(tools.size());
  for (const std::string& id : role.auto_approve()) {
    const auto tool = std::find_if(tools.begin(), tools.end(),
                                   [&](const executors::Tool& candidate) { return candidate.definition.id == id; });
    grants.auto_approves[tool->index] = true;
  }
  return grants;
}

absl::StatusOr<ToolResult> Authorization::Run(ToolCall& call, Next next) {
  const ToolNeeds& needs = tools_[call.tool->index];
  const PermissionSet granted = PermissionsOf(call.caller);
  if (granted.none()) return RefuseStranger(call);
  const PermissionSet missing = (needs.permissions | needs.arguments.NeedsOf(call.arguments())) & ~granted;
  if (missing.any()) return Refuse(call, missing);
  return next(call);
}

absl::Status Authorization::Refuse(const ToolCall& call, const PermissionSet& missing) const {
  const std::vector<std::string> names = table_.NamesOf(missing);
  ToolError error;
  error.code = ErrorCode::kForbidden;
  error.message = absl::StrCat("calling ", call.tool->definition.id, " like this needs ",
                               names.size() == 1 ? "the permission " : "the permissions ", absl::StrJoin(names, ", "));
  error.facts.emplace_back("missingPermissions", absl::StrJoin(names, ","));
  return ToStatus(error);
}

absl::Status Authorization::RefuseStranger(const ToolCall& call) {
  return MakeError(ErrorCode::kForbidden,
                   absl::StrCat("the caller has no role that permits anything, so not ", call.tool->definition.id));
}

bool Authorization::May(const Caller& caller, std::string_view permission) const {
  const absl::StatusOr<PermissionSet> wanted = table_.ParsePermission(permission);
  return wanted.ok() && (*wanted & ~PermissionsOf(caller)).none();
}

bool Authorization::MayUse(const Caller& caller, const executors::Tool& tool) const {
  const PermissionSet granted = PermissionsOf(caller);
  return granted.any() && (tools_[tool.index].permissions & ~granted).none();
}

bool Authorization::AutoApproves(const Caller& caller, const executors::Tool& tool) const {
  return std::any_of(caller.roles.begin(), caller.roles.end(), [&](const std::string& role) {
    const RoleGrants* grants = FindRole(role);
    return grants != nullptr && grants->auto_approves[tool.index];
  });
}

const Authorization::RoleGrants* Authorization::FindRole(std::string_view name) const {
  const auto found = roles_.find(ToAbsl(name));
  return found == roles_.end() ? nullptr : &found->second;
}

PermissionSet Authorization::PermissionsOf(const Caller& caller) const {
  PermissionSet granted;
  for (const std::string& role : caller.roles) {
    const RoleGrants* grants = FindRole(role);
    if (grants != nullptr) granted |= grants->permissions;
  }
  for (const std::string& pattern : caller.permissions) {
    const auto found = patterns_.find(pattern);
    if (found != patterns_.end()) granted |= found->second;
  }
  return granted;
}

}  // namespace toolgate::security::authorization
