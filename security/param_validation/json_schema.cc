#include "security/param_validation/json_schema.h"

#include <utility>

#include "common/status_macros.h"
#include "security/param_validation/default_filler.h"
#include "security/param_validation/null_remover.h"
#include "security/param_validation/schema_compiler.h"
#include "security/param_validation/schema_evaluator.h"
#include "security/param_validation/schema_program.h"
#include "security/param_validation/schema_registry.h"

namespace toolgate::security::param_validation {

absl::StatusOr<std::unique_ptr<const JsonSchema>> JsonSchema::Compile(const Json& schema,
                                                                      const JsonSchemaOptions& options) {
  SchemaRegistry registry(options.documents);
  RETURN_IF_ERROR(registry.AddRoot(schema, options.base_uri));
  SchemaCompiler compiler(registry, options);
  ASSIGN_OR_RETURN(SchemaProgram program, compiler.Compile(schema));
  auto owned = std::make_unique<const SchemaProgram>(std::move(program));
  return std::unique_ptr<const JsonSchema>(new JsonSchema(std::move(owned), options.max_violations));
}

JsonSchema::JsonSchema(std::unique_ptr<const SchemaProgram> program, size_t max_violations)
    : program_(std::move(program)), max_violations_(max_violations) {}

JsonSchema::~JsonSchema() = default;

bool JsonSchema::IsValid(const Json& value) const { return SchemaEvaluator(*program_).IsValid(value); }

std::vector<Violation> JsonSchema::Validate(const Json& value) const {
  SchemaEvaluator evaluator(*program_);
  if (evaluator.IsValid(value)) return {};
  return evaluator.Explain(value, max_violations_);
}

void JsonSchema::RemoveNulls(Json& value) const { NullRemover(*program_).Remove(value); }

void JsonSchema::FillDefaults(Json& value) const { DefaultFiller(*program_).Fill(value); }

}  // namespace toolgate::security::param_validation
