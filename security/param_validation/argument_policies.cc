#include "security/param_validation/argument_policies.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "common/yaml/yaml_proto.h"
#include "security/claims.h"
#include "security/param_validation/json_equal.h"
#include "security/param_validation/refusal.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {
namespace {

constexpr std::string_view kClaims = "claims.";
constexpr size_t kMaxPolicySentences = 3;

struct SourceOfBinding {
  BindingSource source;
  std::string claim;
};

std::optional<SourceOfBinding> SourceOf(const std::string& text) {
  constexpr std::pair<std::string_view, BindingSource> kSources[] = {{"caller.workspace_id", BindingSource::kWorkspace},
                                                                     {"caller.user_id", BindingSource::kUser},
                                                                     {"caller.user_name", BindingSource::kUserName},
                                                                     {"caller.service", BindingSource::kService}};
  for (const auto& [name, source] : kSources) {
    if (name == text) return SourceOfBinding{source, ""};
  }
  if (!text.starts_with(kClaims) || text.size() == kClaims.size()) return std::nullopt;
  return SourceOfBinding{BindingSource::kClaim, text.substr(kClaims.size())};
}

// `tool` is null if it is unknown.
void CheckBinding(const std::string& path, const executors::Tool* tool, const std::string& argument,
                  const std::string& source, yaml::ReportProblem report) {
  if (!SourceOf(source).has_value()) {
    report(path, absl::StrCat(Quoted(source),
                              " is no source; write caller.workspace_id, caller.user_id, caller.user_name, "
                              "caller.service or claims.NAME"));
  }
  if (tool == nullptr) return;
  const auto properties = tool->definition.argument_schema.find("properties");
  const bool has_some = properties != tool->definition.argument_schema.end();
  if (has_some && properties->contains(argument)) return;
  std::vector<std::string_view> names;
  for (auto item = has_some ? properties->begin() : Json::const_iterator(); has_some && item != properties->end();
       ++item) {
    names.push_back(item.key());
  }
  report(path, absl::StrCat(tool->definition.id, " has no argument ", Quoted(argument), " at its top level",
                            Suggestion(argument, names)));
}

absl::Status Forbid(std::string message, std::vector<Violation> violations) {
  ToolError error;
  error.code = ErrorCode::kForbidden;
  error.message = std::move(message);
  error.violations = std::move(violations);
  return ToStatus(error);
}

absl::Status ForbidBinding(const std::string& argument, const std::string& source, std::string found) {
  const std::string path = absl::StrCat("/", EscapePointerToken(argument));
  const char* const why = found.empty() ? "who has no such value" : "and has another value; leave it out";
  return Forbid(absl::StrCat("the argument at \"", path, "\" comes from the caller (binding to ", source, "), ", why),
                {{path, "binding", absl::StrCat("the caller's own ", source), std::move(found)}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<const JsonSchema>> CompilePolicySchema(const std::string& text) {
  ASSIGN_OR_RETURN(const Json schema, ParseJson(text));
  return JsonSchema::Compile(schema, {.assert_formats = true, .strict = true});
}

void CheckPolicies(const std::vector<executors::Tool>& tools, const config::v1::Identity& config,
                   yaml::ReportProblem report) {
  for (const auto& [role_name, role] : Sorted(config.roles())) {
    const std::string of_role = yaml::YamlPathOfKey("identity.roles", role_name) + ".arguments";
    for (const auto& [tool_id, policy] : Sorted(role.arguments())) {
      const std::string path = yaml::YamlPathOfKey(of_role, tool_id);
      const executors::Tool* const tool = CheckTool(path, tool_id, tools, report);
      if (policy.schema().empty() && policy.bind().empty()) report(path, "restricts nothing; write schema or bind");
      if (!policy.schema().empty()) {
        const absl::Status status = CompilePolicySchema(policy.schema()).status();
        if (!status.ok()) report(path + ".schema", absl::StrCat("cannot be used: ", status.message()));
      }
      for (const auto& [argument, source] : Sorted(policy.bind())) {
        CheckBinding(yaml::YamlPathOfKey(path + ".bind", argument), tool, argument, source, report);
      }
    }
  }
}

absl::StatusOr<ArgumentPolicies> ArgumentPolicies::Create(const std::vector<executors::Tool>& tools,
                                                          const config::v1::Identity& config) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) { CheckPolicies(tools, config, report); }));
  ArgumentPolicies policies;
  for (const auto& [role_name, role] : config.roles()) {
    for (const executors::Tool& tool : tools) {
      const auto policy = role.arguments().find(tool.definition.id);
      if (policy == role.arguments().end()) continue;
      ASSIGN_OR_RETURN(Policy compiled, Compile(policy->second));
      RolePolicies& of_role = policies.roles_[role_name];
      of_role.resize(tools.size());
      of_role.at(tool.index) = std::make_unique<const Policy>(std::move(compiled));
    }
  }
  return policies;
}

absl::StatusOr<ArgumentPolicies::Policy> ArgumentPolicies::Compile(const config::v1::ArgumentPolicy& config) {
  Policy policy;
  if (!config.schema().empty()) {
    ASSIGN_OR_RETURN(policy.schema, CompilePolicySchema(config.schema()));
  }
  for (const auto& [argument, text] : config.bind()) {
    const std::optional<SourceOfBinding> source = SourceOf(text);
    if (!source.has_value()) return absl::InternalError("a binding that was not checked");
    policy.bindings.push_back({argument, source->source, source->claim, text});
  }
  return policy;
}

Json ArgumentPolicies::ValueOf(const Binding& binding, const Caller& caller) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  switch (binding.source) {
    case BindingSource::kWorkspace:
      return text(caller.workspace_id);
    case BindingSource::kUser:
      return text(caller.user_id);
    case BindingSource::kUserName:
      return text(caller.user_name);
    case BindingSource::kService:
      return text(caller.service);
    case BindingSource::kClaim:
      break;
  }
  const Json* claim = caller.claims == nullptr ? nullptr : FindClaim(*caller.claims, binding.claim);
  return claim == nullptr ? Json() : *claim;
}

const ArgumentPolicies::Policy* ArgumentPolicies::Find(const std::string& role, const executors::Tool& tool) const {
  const auto found = roles_.find(role);
  return found == roles_.end() ? nullptr : found->second.at(tool.index).get();
}

absl::Status ArgumentPolicies::Bind(const Caller& caller, const executors::Tool& tool, Json& arguments) const {
  for (const std::string& role : caller.roles) {
    const Policy* policy = Find(role, tool);
    if (policy == nullptr) continue;
    for (const Binding& binding : policy->bindings) {
      Json value = ValueOf(binding, caller);
      if (value.is_null()) return ForbidBinding(binding.argument, binding.text, "");
      const auto given = arguments.find(binding.argument);
      if (given == arguments.end()) {
        arguments[binding.argument] = std::move(value);
      } else if (!JsonEqual(*given, value)) {
        return ForbidBinding(binding.argument, binding.text, DescribeValue(*given));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ArgumentPolicies::Check(const Caller& caller, const executors::Tool& tool, const Json& arguments) const {
  for (const std::string& role : caller.roles) {
    const Policy* policy = Find(role, tool);
    if (policy == nullptr || policy->schema == nullptr || policy->schema->IsValid(arguments)) continue;
    std::vector<Violation> violations = policy->schema->Validate(arguments);
    std::string message = absl::StrCat("the role ", role,
                                       " does not allow these arguments: ", Sentences(violations, kMaxPolicySentences));
    return Forbid(std::move(message), std::move(violations));
  }
  return absl::OkStatus();
}

}  // namespace toolgate::security::param_validation
