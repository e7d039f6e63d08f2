// Runs a SchemaProgram over a value.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_EVALUATOR_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_EVALUATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"
#include "common/tool_error.h"
#include "security/param_validation/evaluated_set.h"
#include "security/param_validation/schema_program.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {

// Whether the value has one of the types in `mask` (TypeBit).
bool HasType(const Json& value, uint32_t mask);

// One validation; cheap to make. Borrows the program. Limited in depth and in steps, whatever schema and value are:
// beyond the limits, a value is invalid.
class SchemaEvaluator {
 public:
  explicit SchemaEvaluator(const SchemaProgram& program) : program_(program) {}

  bool IsValid(const Json& value);
  // Whether one node of the program, looked at by itself, is satisfied.
  bool Accepts(uint32_t node, const Json& value);
  // For an invalid value: at least one row, at most `max_violations`.
  std::vector<Violation> Explain(const Json& value, size_t max_violations);

 private:
  // The resources that evaluation has entered, innermost first: the dynamic scope.
  struct Scope {
    const Scope* outer;
    uint32_t resource;
  };
  // Everything about a place except the value itself.
  struct Site {
    const ValuePath* path = nullptr;
    const Scope* scope = nullptr;
    EvaluatedSet* seen = nullptr;  // Null if evaluation is not tracked.
  };

  // Each returns whether the value satisfies the schema. Without kExplain it stops at the first failure; with kExplain
  // all are reported.
  template <bool kExplain>
  bool Run(uint32_t node, const Json& value, const Site& site);
  template <bool kExplain>
  bool RunTracking(const Node& node, const Json& value, const Site& site);
  template <bool kExplain>
  bool RunCode(const Node& node, const Json& value, const Site& site);
  template <bool kExplain>
  bool Step(const Instruction& instruction, const Json& value, const Site& site);
  template <bool kExplain>
  bool StepNumber(const Instruction& instruction, const Json& value, const Site& site);
  template <bool kExplain>
  bool StepString(const Instruction& instruction, const Json& value, const Site& site);
  template <bool kExplain>
  bool StepArray(const Instruction& instruction, const Json& value, const Site& site);
  template <bool kExplain>
  bool StepObject(const Instruction& instruction, const Json& value, const Site& site);
  template <bool kExplain>
  bool StepInPlace(const Instruction& instruction, const Json& value, const Site& site);
  template <bool kExplain>
  bool Enum(const EnumRule& rule, const Json& value, const Site& site);
  template <bool kExplain>
  bool Items(const ItemRule& rule, const Json& value, const Site& site);
  template <bool kExplain>
  bool Contains(const ContainsRule& rule, const Json& value, const Site& site);
  template <bool kExplain>
  bool Members(const ObjectRule& rule, const Json& value, const Site& site);
  template <bool kExplain>
  bool Required(const ObjectRule& rule, uint64_t present, const Json& value, const Site& site);
  template <bool kExplain>
  bool PropertyNames(uint32_t node, const Json& value, const Site& site);
  template <bool kExplain>
  bool DependentRequired(const Dependent& rule, const Json& value, const Site& site);
  template <bool kExplain>
  bool AnyOf(const std::vector<uint32_t>& branches, const Json& value, const Site& site);
  template <bool kExplain>
  bool OneOf(const std::vector<uint32_t>& branches, const Json& value, const Site& site);
  template <bool kExplain>
  bool If(const Condition& condition, const Json& value, const Site& site);
  template <bool kExplain>
  bool UnevaluatedItems(uint32_t node, const Json& value, const Site& site);
  template <bool kExplain>
  bool UnevaluatedProperties(const Instruction& instruction, const Json& value, const Site& site);

  // Runs a subschema whose failure is not a failure of the value: its marks count only if it is satisfied.
  bool Try(uint32_t node, const Json& value, const Site& site);
  uint32_t TargetOf(const DynamicRef& reference, const Scope* scope) const;
  bool RefusesAll(uint32_t node) const;
  // Whether a schema, or its in-place subschemas, have const or enum for this member, or, without a member, for the
  // value itself.
  bool ListsValues(uint32_t node, const std::string* member, int depth);

  bool Report(const ValuePath* path, std::string_view rule, std::string expected, std::string found);
  void ReportUnknown(const ValuePath* object, std::string_view rule, std::string_view name, const ObjectRule* known);
  void ReportNoBranch(std::string_view rule, const std::vector<uint32_t>& branches, const Json& value,
                      const Site& site);

  const SchemaProgram& program_;
  int depth_ = 0;
  size_t steps_ = 0;
  bool exhausted_ = false;
  size_t max_violations_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_EVALUATOR_H_
