#include "security/param_validation/argument_policies.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/claims.h"
#include "security/param_validation/json_equal.h"
#include "security/param_validation/refusal.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {
namespace {

constexpr std::string_view kClaims = "claims.";
constexpr size_t kMaxSentences = 3;

absl::Status At(const std::string& where, const absl::Status& problem) {
  return absl::Status(problem.code(), absl::StrCat(where, ": ", problem.message()));
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

absl::StatusOr<ArgumentPolicies> ArgumentPolicies::Create(const std::vector<executors::Tool>& tools,
                                                          const config::v1::Identity& config) {
  ArgumentPolicies policies;
  for (const auto& [role_name, role] : config.roles()) {
    for (const auto& [tool_id, policy] : role.arguments()) {
      const std::string where = absl::StrCat("identity.roles.", role_name, ".arguments.", tool_id);
      const auto tool = std::find_if(tools.begin(), tools.end(), [id = tool_id](const executors::Tool& candidate) {
        return candidate.definition.id == id;
      });
      if (tool == tools.end()) return absl::InvalidArgumentError(absl::StrCat(where, ": there is no such tool"));
      absl::StatusOr<Policy> compiled = Compile(*tool, policy);
      if (!compiled.ok()) return At(where, compiled.status());
      RolePolicies& of_role = policies.roles_[role_name];
      of_role.resize(tools.size());
      of_role.at(tool->index) = std::make_unique<const Policy>(*std::move(compiled));
    }
  }
  return policies;
}

absl::StatusOr<ArgumentPolicies::Policy> ArgumentPolicies::Compile(const executors::Tool& tool,
                                                                   const config::v1::ArgumentPolicy& config) {
  Policy policy;
  if (!config.schema().empty()) {
    absl::StatusOr<std::unique_ptr<const JsonSchema>> compiled = CompilePolicySchema(config.schema());
    if (!compiled.ok()) return At("schema", compiled.status());
    policy.schema = *std::move(compiled);
  }
  for (const auto& [argument, source] : config.bind()) {
    ASSIGN_OR_RETURN(Binding binding, CompileBinding(tool, argument, source));
    policy.bindings.push_back(std::move(binding));
  }
  return policy;
}

absl::StatusOr<ArgumentPolicies::Binding> ArgumentPolicies::CompileBinding(const executors::Tool& tool,
                                                                           const std::string& argument,
                                                                           const std::string& source) {
  const Json& schema = tool.definition.argument_schema;
  if (!schema.contains("properties") || !schema["properties"].contains(argument)) {
    return absl::InvalidArgumentError(
        absl::StrCat("bind: ", tool.definition.id, " has no argument \"", argument, "\" at its top level"));
  }
  constexpr std::pair<std::string_view, Source> kSources[] = {{"caller.workspace_id", Source::kWorkspace},
                                                              {"caller.user_id", Source::kUser},
                                                              {"caller.user_name", Source::kUserName},
                                                              {"caller.service", Source::kService}};
  for (const auto& [name, known] : kSources) {
    if (name == source) return Binding{argument, known, "", source};
  }
  if (source.starts_with(kClaims) && source.size() > kClaims.size()) {
    return Binding{argument, Source::kClaim, source.substr(kClaims.size()), source};
  }
  return absl::InvalidArgumentError(
      absl::StrCat("bind: \"", source,
                   "\" is no source; write caller.workspace_id, caller.user_id, caller.user_name, caller.service or "
                   "claims.NAME"));
}

Json ArgumentPolicies::ValueOf(const Binding& binding, const Caller& caller) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  switch (binding.source) {
    case Source::kWorkspace:
      return text(caller.workspace_id);
    case Source::kUser:
      return text(caller.user_id);
    case Source::kUserName:
      return text(caller.user_name);
    case Source::kService:
      return text(caller.service);
    case Source::kClaim:
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
    std::string message =
        absl::StrCat("the role ", role, " does not allow these arguments: ", Sentences(violations, kMaxSentences));
    return Forbid(std::move(message), std::move(violations));
  }
  return absl::OkStatus();
}

}  // namespace toolgate::security::param_validation
