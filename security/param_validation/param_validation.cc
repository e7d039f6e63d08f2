#include "security/param_validation/param_validation.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "security/param_validation/argument_guards.h"
#include "security/param_validation/refusal.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {

absl::StatusOr<std::unique_ptr<ParamValidation>> ParamValidation::Create(const std::vector<executors::Tool>& tools,
                                                                         const config::v1::Identity& roles) {
  std::vector<std::unique_ptr<const JsonSchema>> schemas;
  schemas.reserve(tools.size());
  const JsonSchemaOptions options{.assert_formats = true, .close_objects = true, .strict = true};
  for (const executors::Tool& tool : tools) {
    if (tool.index != schemas.size())
      return absl::InvalidArgumentError("the tools are not in the order of their index");
    auto schema = JsonSchema::Compile(tool.definition.argument_schema, options);
    if (!schema.ok()) {
      return absl::Status(schema.status().code(),
                          absl::StrCat("the argument schema of ", tool.definition.id, ": ", schema.status().message()));
    }
    schemas.push_back(*std::move(schema));
  }
  ASSIGN_OR_RETURN(ArgumentPolicies policies, ArgumentPolicies::Create(tools, roles));
  return std::unique_ptr<ParamValidation>(new ParamValidation(std::move(schemas), std::move(policies)));
}

ParamValidation::ParamValidation(std::vector<std::unique_ptr<const JsonSchema>> schemas, ArgumentPolicies policies)
    : schemas_(std::move(schemas)), policies_(std::move(policies)) {}

absl::StatusOr<ToolResult> ParamValidation::Run(ToolCall& call, Next next) {
  Json& arguments = call.mutable_arguments();
  if (!arguments.is_object()) return RefusalOf({{"", "type", "object", DescribeValue(arguments)}});
  if (std::optional<Violation> key = FindPrototypeKey(arguments)) return RefusalOf({*std::move(key)});
  const JsonSchema& schema = *schemas_.at(call.tool->index);
  schema.RemoveNulls(arguments);
  if (!policies_.empty()) RETURN_IF_ERROR(policies_.Bind(call.caller, *call.tool, arguments));
  schema.FillDefaults(arguments);
  std::vector<Violation> violations = schema.Validate(arguments);
  if (!violations.empty()) return RefusalOf(std::move(violations));
  if (!policies_.empty()) RETURN_IF_ERROR(policies_.Check(call.caller, *call.tool, arguments));
  call.FreezeArguments();
  return next(call);
}

}  // namespace toolgate::security::param_validation
