#include "security/param_validation/schema_evaluator.h"

#include <algorithm>
#include <array>
#include <compare>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/edit_distance.h"
#include "security/param_validation/json_equal.h"
#include "security/param_validation/nearest_branch.h"

namespace toolgate::security::param_validation {
namespace {

// Enough for a recursive schema on values as deep as arguments may be, without exceeding any thread's stack.
constexpr int kMaxEvaluationDepth = 800;
constexpr size_t kMaxSteps = size_t{1} << 21;
constexpr int kMaxValueLookThrough = 16;
constexpr size_t kMaxShownValues = 20;
constexpr size_t kMaxShownBytes = 300;

using Object = Json::object_t;

const Object& MembersOf(const Json& value) { return value.get_ref<const Object&>(); }

uint64_t OperandBound(const Instruction& instruction) {
  return static_cast<uint64_t>(instruction.a) | (static_cast<uint64_t>(instruction.b) << 32);
}

std::string TypeNames(uint32_t mask) {
  constexpr std::array<std::pair<uint32_t, std::string_view>, 7> kNames = {{{kObjectBit, "object"},
                                                                            {kArrayBit, "array"},
                                                                            {kStringBit, "string"},
                                                                            {kNumberBit, "number"},
                                                                            {kIntegerBit, "integer"},
                                                                            {kBooleanBit, "boolean"},
                                                                            {kNullBit, "null"}}};
  std::string names;
  for (const auto& [bit, name] : kNames) {
    if ((mask & bit) != 0) absl::StrAppend(&names, names.empty() ? "" : " or ", ToAbsl(name));
  }
  return names;
}

// The schema's own values, which are not secret.
std::string ShowValues(const EnumRule& rule) {
  std::string shown;
  for (size_t i = 0; i < rule.values.size(); ++i) {
    if (i == kMaxShownValues || shown.size() > kMaxShownBytes) return shown + ", …";
    std::string text = DumpJson(rule.values[i]);
    if (text.size() > kMaxShownBytes) text = "a certain " + DescribeValue(rule.values[i]);
    absl::StrAppend(&shown, shown.empty() ? "" : ", ", text);
  }
  if (rule.values.empty()) return "nothing";
  return rule.is_const || rule.values.size() == 1 ? shown : "one of " + shown;
}

std::string CountOf(uint64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : noun == "property" ? "" : "s");
}

std::string AtLeast(uint64_t count, std::string_view noun) { return "at least " + CountOf(count, noun); }
std::string AtMost(uint64_t count, std::string_view noun) { return "at most " + CountOf(count, noun); }

// Counting is needed only if the number of bytes does not decide.
bool HasAtLeast(const std::string& text, uint64_t bound) {
  return text.size() >= bound && (text.size() >= bound * 4 || CountCodePoints(text) >= bound);
}
bool HasAtMost(const std::string& text, uint64_t bound) {
  return text.size() <= bound || CountCodePoints(text) <= bound;
}

// Whether a branch's violations only state the type or the values that it accepts. If the type differs, which is
// checked first, all further violations are its consequences.
bool IsPlain(const std::vector<Violation>& violations, const std::string& here) {
  if (violations.empty() || violations[0].path != here) return false;
  if (violations[0].rule == "type") return true;
  return violations.size() == 1 && (violations[0].rule == "enum" || violations[0].rule == "const");
}

}  // namespace

bool HasType(const Json& value, uint32_t mask) {
  switch (value.type()) {
    case Json::value_t::null:
      return (mask & kNullBit) != 0;
    case Json::value_t::boolean:
      return (mask & kBooleanBit) != 0;
    case Json::value_t::string:
      return (mask & kStringBit) != 0;
    case Json::value_t::array:
      return (mask & kArrayBit) != 0;
    case Json::value_t::object:
      return (mask & kObjectBit) != 0;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return (mask & (kIntegerBit | kNumberBit)) != 0;
    case Json::value_t::number_float:
      return (mask & kNumberBit) != 0 || ((mask & kIntegerBit) != 0 && IsInteger(value));
    default:
      return false;
  }
}

bool SchemaEvaluator::IsValid(const Json& value) { return Accepts(0, value); }

bool SchemaEvaluator::Accepts(uint32_t node, const Json& value) {
  const bool valid = Run<false>(node, value, Site{});
  return valid && !exhausted_;
}

std::vector<Violation> SchemaEvaluator::Explain(const Json& value, size_t max_violations) {
  const bool too_much = exhausted_;
  depth_ = 0;
  steps_ = 0;
  exhausted_ = false;
  max_violations_ = std::max<size_t>(max_violations, 1);
  violations_.clear();
  if (!too_much) Run<true>(0, value, Site{});
  if (violations_.empty() || too_much) {
    exhausted_ = false;
    Report(nullptr, "complexity", "a value that can be checked in bounded time", DescribeValue(value));
  }
  return std::move(violations_);
}

bool SchemaEvaluator::Report(const ValuePath* path, std::string_view rule, std::string expected, std::string found) {
  if (violations_.size() < max_violations_) {
    violations_.push_back({PointerTo(path), std::string(rule), std::move(expected), std::move(found)});
  }
  return false;
}

bool SchemaEvaluator::RefusesAll(uint32_t node) const {
  const Node& target = program_.nodes[node];
  return target.end == target.begin + 1 && program_.code[target.begin].op == Op::kFail;
}

template <bool kExplain>
bool SchemaEvaluator::Run(uint32_t index, const Json& value, const Site& site) {
  if (depth_ == kMaxEvaluationDepth || steps_ == kMaxSteps || exhausted_) {
    exhausted_ = true;
    return false;
  }
  ++depth_;
  ++steps_;
  const Node& node = program_.nodes[index];
  const Scope entered{site.scope, node.resource};
  const bool enters = site.scope == nullptr || site.scope->resource != node.resource;
  const Site here{site.path, enters ? &entered : site.scope, site.seen};
  const bool good = node.tracks ? RunTracking<kExplain>(node, value, here) : RunCode<kExplain>(node, value, here);
  --depth_;
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::RunTracking(const Node& node, const Json& value, const Site& site) {
  EvaluatedSet own;
  const bool good = RunCode<kExplain>(node, value, Site{site.path, site.scope, &own});
  if (site.seen != nullptr && (good || kExplain)) site.seen->Merge(own);
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::RunCode(const Node& node, const Json& value, const Site& site) {
  bool good = true;
  for (uint32_t at = node.begin; at != node.end; ++at) {
    if (Step<kExplain>(program_.code[at], value, site)) continue;
    if constexpr (!kExplain) return false;
    good = false;
    if (violations_.size() >= max_violations_ || exhausted_) return false;
  }
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::Step(const Instruction& instruction, const Json& value, const Site& site) {
  switch (instruction.op) {
    case Op::kFail:
      return kExplain && Report(site.path, "false", "nothing", DescribeValue(value));
    case Op::kType:
      if (HasType(value, instruction.a)) return true;
      return kExplain && Report(site.path, "type", TypeNames(instruction.a), DescribeValue(value));
    case Op::kEnum:
      return Enum<kExplain>(program_.enums[instruction.a], value, site);
    case Op::kMinimum:
    case Op::kMaximum:
    case Op::kExclusiveMinimum:
    case Op::kExclusiveMaximum:
    case Op::kMultipleOf:
      return !value.is_number() || StepNumber<kExplain>(instruction, value, site);
    case Op::kMinLength:
    case Op::kMaxLength:
    case Op::kPattern:
    case Op::kFormat:
      return !value.is_string() || StepString<kExplain>(instruction, value, site);
    case Op::kMinItems:
    case Op::kMaxItems:
    case Op::kUniqueItems:
    case Op::kItems:
    case Op::kContains:
    case Op::kUnevaluatedItems:
      return !value.is_array() || StepArray<kExplain>(instruction, value, site);
    case Op::kMinProperties:
    case Op::kMaxProperties:
    case Op::kObject:
    case Op::kPropertyNames:
    case Op::kDependentRequired:
    case Op::kDependentSchema:
    case Op::kUnevaluatedProperties:
      return !value.is_object() || StepObject<kExplain>(instruction, value, site);
    default:
      return StepInPlace<kExplain>(instruction, value, site);
  }
}

template <bool kExplain>
bool SchemaEvaluator::Enum(const EnumRule& rule, const Json& value, const Site& site) {
  for (const Json& allowed : rule.values) {
    if (JsonEqual(allowed, value)) return true;
  }
  return kExplain && Report(site.path, rule.is_const ? "const" : "enum", ShowValues(rule), DescribeValue(value));
}

template <bool kExplain>
bool SchemaEvaluator::StepNumber(const Instruction& instruction, const Json& value, const Site& site) {
  const Json& bound = program_.numbers[instruction.a];
  bool good = false;
  std::string_view rule;
  std::string_view words;
  switch (instruction.op) {
    case Op::kMinimum:
      good = std::is_gteq(CompareNumbers(value, bound)), rule = "minimum", words = "at least ";
      break;
    case Op::kMaximum:
      good = std::is_lteq(CompareNumbers(value, bound)), rule = "maximum", words = "at most ";
      break;
    case Op::kExclusiveMinimum:
      good = std::is_gt(CompareNumbers(value, bound)), rule = "exclusiveMinimum", words = "more than ";
      break;
    case Op::kExclusiveMaximum:
      good = std::is_lt(CompareNumbers(value, bound)), rule = "exclusiveMaximum", words = "less than ";
      break;
    default:
      good = IsMultipleOf(ToDecimal(value), program_.divisors[instruction.a]);
      rule = "multipleOf", words = "a multiple of ";
  }
  if (good) return true;
  if (rule == "multipleOf" && bound == 1) {
    return kExplain && Report(site.path, rule, "a whole number", DescribeValue(value));
  }
  return kExplain && Report(site.path, rule, std::string(words) + NumberText(bound), DescribeValue(value));
}

template <bool kExplain>
bool SchemaEvaluator::StepString(const Instruction& instruction, const Json& value, const Site& site) {
  const auto& text = value.get_ref<const std::string&>();
  switch (instruction.op) {
    case Op::kMinLength:
      if (HasAtLeast(text, OperandBound(instruction))) return true;
      return kExplain &&
             Report(site.path, "minLength", AtLeast(OperandBound(instruction), "character"), DescribeValue(value));
    case Op::kMaxLength:
      if (HasAtMost(text, OperandBound(instruction))) return true;
      return kExplain &&
             Report(site.path, "maxLength", AtMost(OperandBound(instruction), "character"), DescribeValue(value));
    case Op::kPattern: {
      const PatternRule& pattern = program_.patterns[instruction.a];
      if (pattern.regex->Match(text, 0, text.size(), RE2::UNANCHORED, nullptr, 0)) return true;
      return kExplain &&
             Report(site.path, "pattern", "text that matches " + QuoteKey(pattern.source), DescribeValue(value));
    }
    default: {
      const Format& format = *program_.formats[instruction.a];
      if (format.matches(text)) return true;
      return kExplain && Report(site.path, "format", format.Expected(), DescribeValue(value));
    }
  }
}

template <bool kExplain>
bool SchemaEvaluator::StepArray(const Instruction& instruction, const Json& value, const Site& site) {
  switch (instruction.op) {
    case Op::kMinItems:
      if (value.size() >= OperandBound(instruction)) return true;
      return kExplain &&
             Report(site.path, "minItems", AtLeast(OperandBound(instruction), "item"), DescribeValue(value));
    case Op::kMaxItems:
      if (value.size() <= OperandBound(instruction)) return true;
      return kExplain && Report(site.path, "maxItems", AtMost(OperandBound(instruction), "item"), DescribeValue(value));
    case Op::kUniqueItems: {
      const auto equal = FindEqualItems(value);
      if (!equal.has_value()) return true;
      return kExplain && Report(site.path, "uniqueItems", "items that all differ",
                                absl::StrCat("items ", equal->first, " and ", equal->second, " are equal"));
    }
    case Op::kItems:
      return Items<kExplain>(program_.item_rules[instruction.a], value, site);
    case Op::kContains:
      return Contains<kExplain>(program_.contains_rules[instruction.a], value, site);
    default:
      return UnevaluatedItems<kExplain>(instruction.a, value, site);
  }
}

template <bool kExplain>
bool SchemaEvaluator::Items(const ItemRule& rule, const Json& value, const Site& site) {
  bool good = true;
  const size_t count = rule.rest != kNone ? value.size() : std::min(value.size(), rule.prefix.size());
  for (size_t i = 0; i < count; ++i) {
    const ValuePath path = ValuePath::Item(site.path, i);
    const uint32_t node = i < rule.prefix.size() ? rule.prefix[i] : rule.rest;
    if (!Run<kExplain>(node, value[i], Site{&path, site.scope})) {
      good = false;
      if constexpr (!kExplain) return false;
    }
    if (site.seen != nullptr) site.seen->Mark(i);
  }
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::Contains(const ContainsRule& rule, const Json& value, const Site& site) {
  uint64_t matching = 0;
  for (size_t i = 0; i < value.size(); ++i) {
    const ValuePath path = ValuePath::Item(site.path, i);
    if (!Run<false>(rule.node, value[i], Site{&path, site.scope})) continue;
    ++matching;
    if (site.seen != nullptr) site.seen->Mark(i);
  }
  if (matching >= rule.min && matching <= rule.max) return true;
  if constexpr (!kExplain) return false;
  const bool too_few = matching < rule.min;
  const std::string expected =
      too_few ? AtLeast(rule.min, "item") + " of a certain kind" : AtMost(rule.max, "item") + " of a certain kind";
  return Report(site.path, too_few ? (rule.min > 1 ? "minContains" : "contains") : "maxContains", expected,
                absl::StrCat(matching, " of ", value.size()));
}

template <bool kExplain>
bool SchemaEvaluator::UnevaluatedItems(uint32_t node, const Json& value, const Site& site) {
  bool good = true;
  for (size_t i = 0; i < value.size(); ++i) {
    if (site.seen->Has(i)) continue;
    const ValuePath path = ValuePath::Item(site.path, i);
    if (RefusesAll(node)) {
      if constexpr (!kExplain) return false;
      good = Report(&path, "unevaluatedItems", "no further items", DescribeValue(value[i]));
    } else if (!Run<kExplain>(node, value[i], Site{&path, site.scope})) {
      if constexpr (!kExplain) return false;
      good = false;
    }
  }
  site.seen->MarkAll();
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::StepObject(const Instruction& instruction, const Json& value, const Site& site) {
  switch (instruction.op) {
    case Op::kMinProperties:
      if (value.size() >= OperandBound(instruction)) return true;
      return kExplain &&
             Report(site.path, "minProperties", AtLeast(OperandBound(instruction), "key"), DescribeValue(value));
    case Op::kMaxProperties:
      if (value.size() <= OperandBound(instruction)) return true;
      return kExplain &&
             Report(site.path, "maxProperties", AtMost(OperandBound(instruction), "key"), DescribeValue(value));
    case Op::kObject:
      return Members<kExplain>(program_.object_rules[instruction.a], value, site);
    case Op::kPropertyNames:
      return PropertyNames<kExplain>(instruction.a, value, site);
    case Op::kDependentRequired:
      return DependentRequired<kExplain>(program_.dependents[instruction.a], value, site);
    case Op::kDependentSchema: {
      const Dependent& rule = program_.dependents[instruction.a];
      return !value.contains(rule.property) || Run<kExplain>(rule.node, value, site);
    }
    default:
      return UnevaluatedProperties<kExplain>(instruction, value, site);
  }
}

template <bool kExplain>
bool SchemaEvaluator::Members(const ObjectRule& rule, const Json& value, const Site& site) {
  bool good = true;
  uint64_t present = 0;
  size_t hint = 0;
  size_t index = 0;
  for (const auto& [key, member] : MembersOf(value)) {
    const ValuePath path = ValuePath::Member(site.path, key);
    const Site below{&path, site.scope};
    const PropertyTable::Entry* entry = rule.table.Find(key, hint);
    bool evaluated = false;
    bool fine = true;
    if (entry != nullptr) {
      if (entry->required_bit >= 0) present |= uint64_t{1} << entry->required_bit;
      if (entry->node != PropertyTable::kNoNode) {
        evaluated = true;
        fine = Run<kExplain>(entry->node, member, below);
      }
    }
    for (const PatternProperty& pattern : rule.patterns) {
      if (!fine && !kExplain) return false;
      if (!program_.patterns[pattern.pattern].regex->Match(key, 0, key.size(), RE2::UNANCHORED, nullptr, 0)) continue;
      evaluated = true;
      fine = Run<kExplain>(pattern.node, member, below) && fine;
    }
    if (!evaluated && rule.additional != kNone) {
      evaluated = true;
      if (kExplain && RefusesAll(rule.additional)) {
        ReportUnknown(site.path, "additionalProperties", key, &rule);
        fine = false;
      } else {
        fine = Run<kExplain>(rule.additional, member, below);
      }
    }
    if (!fine && !kExplain) return false;
    good = good && fine;
    if (evaluated && site.seen != nullptr) site.seen->Mark(index);
    ++index;
  }
  return Required<kExplain>(rule, present, value, site) && good;
}

template <bool kExplain>
bool SchemaEvaluator::Required(const ObjectRule& rule, uint64_t present, const Json& value, const Site& site) {
  const uint64_t missing = rule.required_mask & ~present;
  bool good = missing == 0;
  if (!good && !kExplain) return false;
  const auto report = [&](std::string_view name) {
    const ValuePath path = ValuePath::Member(site.path, name);
    return Report(&path, "required", "the required property " + QuoteKey(name), "nothing");
  };
  if (!good) {
    for (const PropertyTable::Entry& entry : rule.table.entries()) {
      if (entry.required_bit >= 0 && ((missing >> entry.required_bit) & 1) != 0) report(entry.name);
    }
  }
  for (const std::string& name : rule.more_required) {
    if (value.contains(name)) continue;
    if constexpr (!kExplain) return false;
    good = report(name);
  }
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::PropertyNames(uint32_t node, const Json& value, const Site& site) {
  bool good = true;
  Json name = std::string();
  for (const auto& [key, member] : MembersOf(value)) {
    name.get_ref<std::string&>() = key;
    if (Run<false>(node, name, Site{nullptr, site.scope})) continue;
    if constexpr (!kExplain) return false;
    const ValuePath path = ValuePath::Member(site.path, key);
    good = Report(&path, "propertyNames", "a permitted property name", "the name " + QuoteKey(key));
  }
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::DependentRequired(const Dependent& rule, const Json& value, const Site& site) {
  if (!value.contains(rule.property)) return true;
  bool good = true;
  for (const std::string& name : rule.required) {
    if (value.contains(name)) continue;
    if constexpr (!kExplain) return false;
    const ValuePath path = ValuePath::Member(site.path, name);
    good =
        Report(&path, "dependentRequired",
               absl::StrCat("the property ", QuoteKey(name), ", which ", QuoteKey(rule.property), " needs"), "nothing");
  }
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::UnevaluatedProperties(const Instruction& instruction, const Json& value, const Site& site) {
  bool good = true;
  size_t index = 0;
  for (const auto& [key, member] : MembersOf(value)) {
    if (site.seen->Has(index++)) continue;
    const ValuePath path = ValuePath::Member(site.path, key);
    if (RefusesAll(instruction.a)) {
      if constexpr (!kExplain) return false;
      good = false;
      ReportUnknown(site.path, "unevaluatedProperties", key,
                    instruction.b == kNone ? nullptr : &program_.object_rules[instruction.b]);
    } else if (!Run<kExplain>(instruction.a, member, Site{&path, site.scope})) {
      if constexpr (!kExplain) return false;
      good = false;
    }
  }
  site.seen->MarkAll();
  return good;
}

template <bool kExplain>
bool SchemaEvaluator::StepInPlace(const Instruction& instruction, const Json& value, const Site& site) {
  switch (instruction.op) {
    case Op::kApply:
      return Run<kExplain>(instruction.a, value, site);
    case Op::kDynamicRef:
      return Run<kExplain>(TargetOf(program_.dynamic_refs[instruction.a], site.scope), value, site);
    case Op::kAnyOf:
      return AnyOf<kExplain>(program_.branches[instruction.a], value, site);
    case Op::kOneOf:
      return OneOf<kExplain>(program_.branches[instruction.a], value, site);
    case Op::kNot:
      if (!Run<false>(instruction.a, value, Site{site.path, site.scope})) return true;
      return kExplain && Report(site.path, "not", "something other than what \"not\" describes", DescribeValue(value));
    default:
      return If<kExplain>(program_.conditions[instruction.a], value, site);
  }
}

uint32_t SchemaEvaluator::TargetOf(const DynamicRef& reference, const Scope* scope) const {
  uint32_t target = reference.initial;
  if (!reference.dynamic) return target;
  // The outermost resource with the anchor decides, so the last one found on the way out.
  for (; scope != nullptr; scope = scope->outer) {
    const uint32_t node = reference.node_by_resource[scope->resource];
    if (node != kNone) target = node;
  }
  return target;
}

bool SchemaEvaluator::Try(uint32_t node, const Json& value, const Site& site) {
  if (site.seen == nullptr) return Run<false>(node, value, site);
  EvaluatedSet marks;
  if (!Run<false>(node, value, Site{site.path, site.scope, &marks})) return false;
  site.seen->Merge(marks);
  return true;
}

template <bool kExplain>
bool SchemaEvaluator::AnyOf(const std::vector<uint32_t>& branches, const Json& value, const Site& site) {
  bool any = false;
  for (const uint32_t node : branches) {
    any = Try(node, value, site) || any;
    // If evaluated properties are tracked, every satisfied branch counts.
    if (any && site.seen == nullptr) return true;
  }
  if (any) return true;
  if constexpr (kExplain) ReportNoBranch("anyOf", branches, value, site);
  return false;
}

template <bool kExplain>
bool SchemaEvaluator::OneOf(const std::vector<uint32_t>& branches, const Json& value, const Site& site) {
  size_t matching = 0;
  for (const uint32_t node : branches) {
    if (Try(node, value, site)) ++matching;
    if (matching > 1 && !kExplain) return false;
  }
  if (matching == 1) return true;
  if constexpr (!kExplain) return false;
  if (matching == 0) {
    ReportNoBranch("oneOf", branches, value, site);
    return false;
  }
  return Report(site.path, "oneOf", absl::StrCat("exactly one of ", branches.size(), " alternatives"),
                absl::StrCat(DescribeValue(value), " that satisfies ", matching));
}

template <bool kExplain>
bool SchemaEvaluator::If(const Condition& condition, const Json& value, const Site& site) {
  const uint32_t next = Try(condition.test, value, site) ? condition.consequent : condition.alternative;
  return next == kNone || Run<kExplain>(next, value, site);
}

void SchemaEvaluator::ReportUnknown(const ValuePath* object, std::string_view rule, std::string_view name,
                                    const ObjectRule* known) {
  std::vector<std::string_view> names;
  if (known != nullptr) {
    for (const PropertyTable::Entry& entry : known->table.entries()) {
      if (entry.node != PropertyTable::kNoNode) names.push_back(entry.name);
    }
  }
  std::string expected = "no such property";
  if (const std::string_view nearest = text::NearestName(name, names); !nearest.empty()) {
    expected = absl::StrCat("did you mean ", QuoteKey(nearest), "?");
  } else if (!names.empty()) {
    expected = "only ";
    for (size_t i = 0; i < names.size(); ++i) {
      if (i == kMaxShownValues || expected.size() > kMaxShownBytes) {
        expected += ", …";
        break;
      }
      absl::StrAppend(&expected, i == 0 ? "" : ", ", QuoteKey(names[i]));
    }
  }
  const ValuePath path = ValuePath::Member(object, name);
  Report(&path, rule, std::move(expected), "unknown property " + QuoteKey(name));
}

bool SchemaEvaluator::ListsValues(uint32_t node, const std::string* member, int depth) {
  if (depth == kMaxValueLookThrough || steps_ == kMaxSteps) return false;
  ++steps_;
  for (uint32_t at = program_.nodes[node].begin; at != program_.nodes[node].end; ++at) {
    const Instruction& instruction = program_.code[at];
    if (instruction.op == Op::kEnum && member == nullptr) return true;
    if (instruction.op == Op::kApply && ListsValues(instruction.a, member, depth + 1)) return true;
    if (instruction.op != Op::kObject || member == nullptr) continue;
    size_t hint = 0;
    const PropertyTable::Entry* entry = program_.object_rules[instruction.a].table.Find(*member, hint);
    if (entry == nullptr || entry->node == PropertyTable::kNoNode) continue;
    if (ListsValues(entry->node, nullptr, depth + 1)) return true;
  }
  return false;
}

void SchemaEvaluator::ReportNoBranch(std::string_view rule, const std::vector<uint32_t>& branches, const Json& value,
                                     const Site& site) {
  const std::string here = PointerTo(site.path);
  std::vector<Violation> outer = std::move(violations_);
  std::vector<std::vector<Violation>> failures;
  std::string simple;  // The expected value, if each branch fails by one plain rule at this very place.
  bool all_simple = true;
  for (const uint32_t node : branches) {
    violations_.clear();
    Run<true>(node, value, Site{site.path, site.scope});
    const bool plain = IsPlain(violations_, here);
    all_simple = all_simple && plain;
    if (plain) absl::StrAppend(&simple, simple.empty() ? "" : " or ", violations_[0].expected);
    failures.push_back(std::move(violations_));
  }
  violations_ = std::move(outer);
  if (all_simple) {
    Report(site.path, rule, std::move(simple), DescribeValue(value));
    return;
  }
  Report(site.path, rule, absl::StrCat("one of ", branches.size(), " alternatives"), DescribeValue(value));
  const auto lists = [&](size_t branch, std::string_view member) {
    const std::string name = UnescapePointerToken(member);
    return ListsValues(branches[branch], &name, 0);
  };
  for (Violation& violation : NearestBranch(here, std::move(failures), lists)) {
    if (violations_.size() < max_violations_) violations_.push_back(std::move(violation));
  }
}

}  // namespace toolgate::security::param_validation
