// Layer 2: refuses arguments that do not match the tool's schema.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_PARAM_VALIDATION_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_PARAM_VALIDATION_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/layer.h"
#include "security/param_validation/argument_policies.h"
#include "security/param_validation/json_schema.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::param_validation {

// Refuses prototype keys, removes nulls that can only mean "left out", sets the arguments that roles bind to the
// caller, fills in defaults, validates by the tool's schema and by those of the caller's roles, and freezes the
// arguments. All further in, digests of idempotency keys and confirmations included, sees the arguments so read.
// Thread-safe.
class ParamValidation : public Layer {
 public:
  // Compiles each tool's argument schema, with formats asserted and objects closed. A tool's index must be its
  // position. INVALID_ARGUMENT (or UNIMPLEMENTED, for a pattern) names the tool whose schema is refused.
  static absl::StatusOr<std::unique_ptr<ParamValidation>> Create(
      const std::vector<executors::Tool>& tools,
      const config::v1::Identity& roles = config::v1::Identity::default_instance());

  std::string_view name() const override { return "param_validation"; }

  // MISSING_REQUIRED if missing properties are the only problem, FORBIDDEN if a role forbids it, INVALID_PARAMS
  // otherwise.
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

 private:
  ParamValidation(std::vector<std::unique_ptr<const JsonSchema>> schemas, ArgumentPolicies policies);

  const std::vector<std::unique_ptr<const JsonSchema>> schemas_;  // By Tool::index.
  const ArgumentPolicies policies_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_PARAM_VALIDATION_H_
