// A compiled schema: flat vectors that the evaluator walks by index.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_PROGRAM_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_PROGRAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/json.h"
#include "re2/re2.h"
#include "security/param_validation/formats.h"
#include "security/param_validation/json_number.h"
#include "security/param_validation/property_table.h"

namespace toolgate::security::param_validation {

enum class Op : uint8_t {
  kFail,     // The schema `false`.
  kType,     // a: mask of types.
  kEnum,     // a: index into enums.
  kMinimum,  // a: index into numbers; also for the next four.
  kMaximum,
  kExclusiveMinimum,
  kExclusiveMaximum,
  kMultipleOf,
  kMinLength,  // a and b: low and high half of the limit; also for every min and max below.
  kMaxLength,
  kPattern,  // a: index into patterns.
  kFormat,   // a: index into formats.
  kMinItems,
  kMaxItems,
  kUniqueItems,
  kItems,     // a: index into item_rules.
  kContains,  // a: index into contains_rules.
  kMinProperties,
  kMaxProperties,
  kObject,                 // a: index into object_rules.
  kPropertyNames,          // a: node.
  kDependentRequired,      // a: index into dependents.
  kDependentSchema,        // a: index into dependents.
  kApply,                  // a: node, for $ref and each branch of allOf; b: 1 for a $ref.
  kDynamicRef,             // a: index into dynamic_refs.
  kAnyOf,                  // a: index into branches.
  kOneOf,                  // a: index into branches.
  kNot,                    // a: node.
  kIf,                     // a: index into conditions.
  kUnevaluatedItems,       // a: node.
  kUnevaluatedProperties,  // a: node; b: index into object_rules for the known names, or kNone.
};

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

struct Instruction {
  Op op;
  uint32_t a = 0;
  uint32_t b = 0;
};

// Types as bits; every number has kNumberBit, an integral one kIntegerBit as well.
enum TypeBit : uint32_t {
  kNullBit = 1,
  kBooleanBit = 2,
  kIntegerBit = 4,
  kNumberBit = 8,
  kStringBit = 16,
  kArrayBit = 32,
  kObjectBit = 64,
};

// One schema object: a range of instructions.
struct Node {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t resource = 0;
  bool tracks = false;  // It has unevaluatedItems or unevaluatedProperties.
};

struct EnumRule {
  std::vector<Json> values;
  bool is_const = false;
};

struct PatternRule {
  std::unique_ptr<const RE2> regex;
  std::string source;
};

struct PatternProperty {
  uint32_t pattern;
  uint32_t node;
};

// properties, patternProperties, additionalProperties and required: one pass over an object's members.
struct ObjectRule {
  PropertyTable table;
  std::vector<PatternProperty> patterns;
  uint32_t additional = kNone;
  uint64_t required_mask = 0;
  std::vector<std::string> more_required;  // Beyond 64.
};

struct ItemRule {
  std::vector<uint32_t> prefix;
  uint32_t rest = kNone;
};

struct ContainsRule {
  uint32_t node = 0;
  uint64_t min = 1;
  uint64_t max = std::numeric_limits<uint64_t>::max();
};

struct Dependent {
  std::string property;
  std::vector<std::string> required;
  uint32_t node = kNone;
};

struct Condition {
  uint32_t test = kNone;
  uint32_t consequent = kNone;
  uint32_t alternative = kNone;
};

// A $dynamicRef: its target in each resource that has the anchor, and its target otherwise.
struct DynamicRef {
  uint32_t initial = kNone;
  bool dynamic = false;                    // The initial target is a $dynamicAnchor.
  std::vector<uint32_t> node_by_resource;  // kNone if the resource lacks the anchor.
};

struct PropertyDefault {
  std::string name;
  Json value;
};

// Places below one node where defaults can be filled in.
struct DefaultRule {
  std::vector<PropertyDefault> defaults;
  std::vector<std::pair<std::string, uint32_t>> properties;  // Subschemas that may fill something.
  std::vector<uint32_t> prefix;                              // By position; kNone if nothing is to be filled.
  size_t prefix_size = 0;                                    // `items` does not apply to items before this position.
  uint32_t items = kNone;
  std::vector<uint32_t> in_place;  // $ref and allOf.
};

// Immutable once compiled.
struct SchemaProgram {
  std::vector<Node> nodes;  // The first is the root.
  std::vector<Instruction> code;
  std::vector<EnumRule> enums;
  std::vector<Json> numbers;
  std::vector<Decimal> divisors;  // By index of numbers; only set for multipleOf.
  std::vector<PatternRule> patterns;
  std::vector<const Format*> formats;
  std::vector<ObjectRule> object_rules;
  std::vector<ItemRule> item_rules;
  std::vector<ContainsRule> contains_rules;
  std::vector<Dependent> dependents;
  std::vector<std::vector<uint32_t>> branches;
  std::vector<Condition> conditions;
  std::vector<DynamicRef> dynamic_refs;
  std::vector<DefaultRule> default_rules;  // By node, or empty when the schema has no defaults.
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_PROGRAM_H_
