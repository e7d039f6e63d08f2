#include "security/param_validation/schema_compiler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/edit_distance.h"
#include "security/param_validation/ecma_regex.h"
#include "security/param_validation/schema_keywords.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {
namespace {

constexpr int kMaxLookThrough = 16;

const Json* Find(const Json& schema, const char* keyword) {
  const auto found = schema.find(keyword);
  return found == schema.end() ? nullptr : &*found;
}

std::optional<uint32_t> TypeBitOf(const Json& name) {
  constexpr std::array<std::pair<std::string_view, uint32_t>, 7> kTypes = {{{"null", kNullBit},
                                                                            {"boolean", kBooleanBit},
                                                                            {"integer", kIntegerBit},
                                                                            {"number", kNumberBit},
                                                                            {"string", kStringBit},
                                                                            {"array", kArrayBit},
                                                                            {"object", kObjectBit}}};
  if (!name.is_string()) return std::nullopt;
  for (const auto& [known, bit] : kTypes) {
    if (name.get_ref<const std::string&>() == known) return bit;
  }
  return std::nullopt;
}

// For minLength and the like: a non-negative integer, in any notation.
std::optional<uint64_t> BoundOf(const Json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number_integer()) return value.get<int64_t>() < 0 ? std::nullopt : std::optional(value.get<uint64_t>());
  if (!value.is_number_float() || !IsInteger(value) || value.get<double>() < 0) return std::nullopt;
  return value.get<double>() >= 1e18 ? uint64_t{1'000'000'000'000'000'000} : static_cast<uint64_t>(value.get<double>());
}

Instruction WithBound(Op op, uint64_t bound) {
  return {op, static_cast<uint32_t>(bound), static_cast<uint32_t>(bound >> 32)};
}

// Keywords whose subschemas apply to the same object as the schema that holds them.
constexpr std::array<const char*, 9> kInPlace = {"$ref", "$dynamicRef", "allOf", "anyOf",           "oneOf",
                                                 "if",   "then",        "else",  "dependentSchemas"};

int CountInPlace(const Json& schema) {
  return static_cast<int>(
      std::count_if(kInPlace.begin(), kInPlace.end(), [&](const char* keyword) { return schema.contains(keyword); }));
}

// An object schema that names none, such as {"type": "object"}, accepts any object.
bool NamesProperties(const Json& schema) {
  return schema.contains("properties") || schema.contains("patternProperties");
}

bool DescribesProperty(const Json& schema, const std::string& name) {
  const Json* properties = Find(schema, "properties");
  if (properties != nullptr && properties->is_object() && properties->contains(name)) return true;
  const Json* patterns = Find(schema, "patternProperties");
  if (patterns == nullptr || !patterns->is_object()) return false;
  const auto items = patterns->items();
  return std::any_of(items.begin(), items.end(), [&](const auto& pattern) {
    const auto regex = CompileEcmaRegex(pattern.key());
    return regex.ok() && RE2::PartialMatch(name, **regex);
  });
}

bool SaysNothingOnOthers(const Json& schema) {
  return !schema.contains("additionalProperties") && !schema.contains("unevaluatedProperties");
}

}  // namespace

SchemaCompiler::SchemaCompiler(SchemaRegistry& registry, const JsonSchemaOptions& options)
    : registry_(registry), options_(options) {}

absl::StatusOr<SchemaProgram> SchemaCompiler::Compile(const Json& root) {
  NodeFor(root, options_.close_objects);
  RETURN_IF_ERROR(CompilePending());
  RETURN_IF_ERROR(FinishDynamicReferences());
  RETURN_IF_ERROR(CheckRecursion());
  PruneDefaults();
  return std::move(program_);
}

absl::Status SchemaCompiler::Refuse(const Frame& frame, std::string_view place, std::string_view what) const {
  const std::string pointer = absl::StrCat(frame.pointer, ToAbsl(place));
  return absl::InvalidArgumentError(absl::StrCat(registry_.Describe(frame.resource, pointer), ": ", ToAbsl(what)));
}

uint32_t SchemaCompiler::NodeFor(const Json& schema, bool closed) {
  const auto [entry, is_new] = nodes_.try_emplace(std::pair(&schema, closed), program_.nodes.size());
  if (!is_new) return entry->second;
  const SchemaPlace& place = registry_.PlaceOf(&schema);
  Node& node = program_.nodes.emplace_back();
  node.resource = place.resource;
  pointers_.push_back(place.pointer);
  program_.default_rules.emplace_back();
  if (entered_.size() <= place.resource) entered_.resize(place.resource + 1);
  entered_[place.resource] = true;
  pending_.push_back({&schema, entry->second, closed});
  return entry->second;
}

uint32_t SchemaCompiler::FalseNode(uint32_t resource) {
  const auto begin = static_cast<uint32_t>(program_.code.size());
  program_.code.push_back({Op::kFail});
  program_.nodes.push_back({begin, begin + 1, resource, false});
  pointers_.emplace_back();
  program_.default_rules.emplace_back();
  return static_cast<uint32_t>(program_.nodes.size() - 1);
}

absl::Status SchemaCompiler::CompilePending() {
  while (!pending_.empty()) {
    const Pending pending = pending_.front();
    pending_.pop_front();
    RETURN_IF_ERROR(CompileNode(pending));
  }
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileNode(const Pending& pending) {
  const SchemaPlace place = registry_.PlaceOf(pending.schema);
  Frame frame{*pending.schema,
              pending.node,
              place.resource,
              place.pointer,
              pending.closed,
              registry_.resource(place.resource).dialect,
              {}};
  if (frame.schema.is_boolean()) {
    if (!frame.schema.get<bool>()) frame.code.push_back({Op::kFail});
  } else if (frame.schema.is_object()) {
    RETURN_IF_ERROR(CompileObject(frame));
  } else {
    return Refuse(frame, "", "a schema must be an object or a boolean");
  }
  Node& node = program_.nodes[pending.node];
  node.begin = static_cast<uint32_t>(program_.code.size());
  program_.code.insert(program_.code.end(), frame.code.begin(), frame.code.end());
  node.end = static_cast<uint32_t>(program_.code.size());
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CheckKeywords(const Frame& frame) const {
  const bool earlier_drafts = frame.dialect.draft != Dialect::Draft::k2020;
  for (const auto& [key, value] : frame.schema.items()) {
    if (IsKnownKeyword(key, earlier_drafts)) continue;
    const std::string_view nearest = text::NearestName(key, KnownKeywords());
    return Refuse(frame, "/" + EscapePointerToken(key),
                  nearest.empty() ? "is no keyword, and would hold nothing; annotations of one's own begin with \"x-\""
                                  : absl::StrCat("is no keyword; did you mean ", QuoteKey(nearest), "?"));
  }
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileObject(Frame& frame) {
  if (options_.strict) RETURN_IF_ERROR(CheckKeywords(frame));
  if (frame.dialect.draft == Dialect::Draft::k7 && frame.schema.contains("$ref")) {
    RETURN_IF_ERROR(CompileReferences(frame));
    return CompileDefinitions(frame);
  }
  if (frame.dialect.validation) {
    RETURN_IF_ERROR(CompileType(frame));
    RETURN_IF_ERROR(CompileEnum(frame));
    RETURN_IF_ERROR(CompileNumbers(frame));
    RETURN_IF_ERROR(CompileStrings(frame));
  }
  RETURN_IF_ERROR(CompileFormat(frame));
  RETURN_IF_ERROR(CompileOwnFormat(frame));
  RETURN_IF_ERROR(CompileArrays(frame));
  RETURN_IF_ERROR(CompileObjects(frame));
  RETURN_IF_ERROR(CompileReferences(frame));
  RETURN_IF_ERROR(CompileCombinations(frame));
  RETURN_IF_ERROR(CompileUnevaluated(frame));
  RETURN_IF_ERROR(CompileDefinitions(frame));
  return CompileDefaults(frame);
}

absl::Status SchemaCompiler::CompileType(Frame& frame) {
  const Json* type = Find(frame.schema, "type");
  if (type == nullptr) return absl::OkStatus();
  uint32_t mask = 0;
  const auto add = [&](const Json& name) {
    const std::optional<uint32_t> bit = TypeBitOf(name);
    mask |= bit.value_or(0);
    return bit.has_value();
  };
  bool good = type->is_array() && !type->empty() ? std::all_of(type->begin(), type->end(), add) : add(*type);
  if (!good) {
    return Refuse(frame, "/type",
                  "must be null, boolean, integer, number, string, array or object, or a list of these");
  }
  frame.code.push_back({Op::kType, mask});
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileEnum(Frame& frame) {
  if (const Json* values = Find(frame.schema, "enum"); values != nullptr) {
    if (!values->is_array()) return Refuse(frame, "/enum", "must be a list");
    frame.code.push_back({Op::kEnum, static_cast<uint32_t>(program_.enums.size())});
    program_.enums.push_back({std::vector<Json>(values->begin(), values->end()), false});
  }
  const Json* value = Find(frame.schema, "const");
  if (value != nullptr) {
    frame.code.push_back({Op::kEnum, static_cast<uint32_t>(program_.enums.size())});
    program_.enums.push_back({{*value}, true});
  }
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileNumber(Frame& frame, const char* keyword, Op op) {
  const Json* value = Find(frame.schema, keyword);
  if (value == nullptr) return absl::OkStatus();
  // In draft 4 the exclusive limits were flags on the others.
  const bool flag = op == Op::kExclusiveMaximum || op == Op::kExclusiveMinimum;
  if (flag && value->is_boolean() && frame.dialect.draft == Dialect::Draft::k7) {
    const char* const bound = op == Op::kExclusiveMaximum ? "maximum" : "minimum";
    value = value->get<bool>() ? Find(frame.schema, bound) : nullptr;
    if (value == nullptr) return absl::OkStatus();
  }
  const std::string place = absl::StrCat("/", keyword);
  if (!value->is_number()) return Refuse(frame, place, "must be a number");
  if (op == Op::kMultipleOf && std::is_lteq(CompareNumbers(*value, Json(0)))) {
    return Refuse(frame, place, "must be greater than 0");
  }
  frame.code.push_back({op, static_cast<uint32_t>(program_.numbers.size())});
  program_.numbers.push_back(*value);
  program_.divisors.push_back(ToDecimal(*value));
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileNumbers(Frame& frame) {
  RETURN_IF_ERROR(CompileNumber(frame, "minimum", Op::kMinimum));
  RETURN_IF_ERROR(CompileNumber(frame, "maximum", Op::kMaximum));
  RETURN_IF_ERROR(CompileNumber(frame, "exclusiveMinimum", Op::kExclusiveMinimum));
  RETURN_IF_ERROR(CompileNumber(frame, "exclusiveMaximum", Op::kExclusiveMaximum));
  return CompileNumber(frame, "multipleOf", Op::kMultipleOf);
}

absl::Status SchemaCompiler::CompileBound(Frame& frame, const char* keyword, Op op) {
  const Json* value = Find(frame.schema, keyword);
  if (value == nullptr) return absl::OkStatus();
  const std::optional<uint64_t> bound = BoundOf(*value);
  if (!bound.has_value()) return Refuse(frame, absl::StrCat("/", keyword), "must be an integer of at least 0");
  frame.code.push_back(WithBound(op, *bound));
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> SchemaCompiler::AddPattern(const Frame& frame, std::string_view place,
                                                    const std::string& source) {
  const auto [entry, is_new] = patterns_.try_emplace(source, program_.patterns.size());
  if (!is_new) return entry->second;
  auto regex = CompileEcmaRegex(source);
  if (!regex.ok()) {
    const absl::Status refused = Refuse(frame, place, FromAbsl(regex.status().message()));
    return absl::Status(regex.status().code(), refused.message());
  }
  program_.patterns.push_back({*std::move(regex), source});
  return entry->second;
}

absl::Status SchemaCompiler::CompileStrings(Frame& frame) {
  RETURN_IF_ERROR(CompileBound(frame, "minLength", Op::kMinLength));
  RETURN_IF_ERROR(CompileBound(frame, "maxLength", Op::kMaxLength));
  const Json* pattern = Find(frame.schema, "pattern");
  if (pattern == nullptr) return absl::OkStatus();
  if (!pattern->is_string()) return Refuse(frame, "/pattern", "must be a string");
  ASSIGN_OR_RETURN(const uint32_t index, AddPattern(frame, "/pattern", pattern->get_ref<const std::string&>()));
  frame.code.push_back({Op::kPattern, index});
  return absl::OkStatus();
}

absl::Status SchemaCompiler::RefuseFormat(const Frame& frame, const Json& name) const {
  const std::string_view nearest = text::NearestName(name.get_ref<const std::string&>(), FormatNames());
  if (!nearest.empty()) {
    return Refuse(frame, "/format", absl::StrCat("is no known format; did you mean ", QuoteKey(nearest), "?"));
  }
  std::string known;
  for (const std::string_view format : FormatNames())
    absl::StrAppend(&known, known.empty() ? "" : ", ", ToAbsl(format));
  return Refuse(frame, "/format", "is no known format, and would hold nothing; known are " + known);
}

absl::Status SchemaCompiler::CompileOwnFormat(Frame& frame) {
  const Json* const mask = Find(frame.schema, "x-toolgate-mask");
  if (mask != nullptr && *mask != "secrets") return Refuse(frame, "/x-toolgate-mask", "can only be \"secrets\"");
  const Json* name = Find(frame.schema, "x-toolgate-format");
  if (name == nullptr) return absl::OkStatus();
  const Format* format = name->is_string() ? FindOwnFormat(name->get_ref<const std::string&>()) : nullptr;
  if (format == nullptr) return Refuse(frame, "/x-toolgate-format", "is no known format; known is date-or-words");
  frame.code.push_back({Op::kFormat, static_cast<uint32_t>(program_.formats.size())});
  program_.formats.push_back(format);
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileFormat(Frame& frame) {
  const Json* name = Find(frame.schema, "format");
  if (name == nullptr) return absl::OkStatus();
  if (!name->is_string()) return Refuse(frame, "/format", "must be a string");
  if (!options_.assert_formats && !frame.dialect.asserts_formats) return absl::OkStatus();
  const Format* format = FindFormat(name->get_ref<const std::string&>());
  if (format == nullptr) return options_.strict ? RefuseFormat(frame, *name) : absl::OkStatus();
  frame.code.push_back({Op::kFormat, static_cast<uint32_t>(program_.formats.size())});
  program_.formats.push_back(format);
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> SchemaCompiler::ChildNode(const Frame& frame, std::string_view place, const Json& child,
                                                   bool closed) {
  if (!child.is_object() && !child.is_boolean()) {
    return Refuse(frame, place, "must be a schema, which is an object or a boolean");
  }
  return NodeFor(child, closed);
}

absl::Status SchemaCompiler::CompileArrays(Frame& frame) {
  if (frame.dialect.validation) {
    RETURN_IF_ERROR(CompileBound(frame, "minItems", Op::kMinItems));
    RETURN_IF_ERROR(CompileBound(frame, "maxItems", Op::kMaxItems));
  }
  if (frame.dialect.applicator) {
    RETURN_IF_ERROR(CompileItems(frame));
    RETURN_IF_ERROR(CompileContains(frame));
  }
  const Json* unique = frame.dialect.validation ? Find(frame.schema, "uniqueItems") : nullptr;
  if (unique == nullptr) return absl::OkStatus();
  if (!unique->is_boolean()) return Refuse(frame, "/uniqueItems", "must be true or false");
  if (unique->get<bool>()) frame.code.push_back({Op::kUniqueItems});
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileItems(Frame& frame) {
  const bool modern = frame.dialect.draft == Dialect::Draft::k2020;
  const Json* items = Find(frame.schema, "items");
  const Json* prefix = Find(frame.schema, "prefixItems");
  const char* prefix_keyword = "prefixItems";
  if (!modern) {
    // prefixItems and items were formerly called items and additionalItems.
    const bool list = items != nullptr && items->is_array();
    prefix = list ? items : nullptr;
    prefix_keyword = "items";
    if (list) items = Find(frame.schema, "additionalItems");
  }
  if (items == nullptr && prefix == nullptr) return absl::OkStatus();
  ItemRule rule;
  if (prefix != nullptr) {
    if (!prefix->is_array() || (prefix->empty() && modern)) {
      return Refuse(frame, absl::StrCat("/", prefix_keyword), "must be a list of at least one schema");
    }
    for (const Json& item : *prefix) {
      const std::string place = absl::StrCat("/", prefix_keyword, "/", rule.prefix.size());
      ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, place, item, frame.closed));
      rule.prefix.push_back(node);
    }
  }
  if (items != nullptr) {
    if (items->is_array()) return Refuse(frame, "/items", "must be one schema; a list of them is prefixItems");
    ASSIGN_OR_RETURN(rule.rest, ChildNode(frame, "/items", *items, frame.closed));
  }
  frame.code.push_back({Op::kItems, static_cast<uint32_t>(program_.item_rules.size())});
  program_.item_rules.push_back(std::move(rule));
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileContains(Frame& frame) {
  ContainsRule rule;
  const std::array<std::pair<const char*, uint64_t*>, 2> counts = {
      {{"minContains", &rule.min}, {"maxContains", &rule.max}}};
  for (const auto& [keyword, count] : counts) {
    const Json* value = frame.dialect.validation ? Find(frame.schema, keyword) : nullptr;
    if (value == nullptr || frame.dialect.draft == Dialect::Draft::k7) continue;
    const std::optional<uint64_t> bound = BoundOf(*value);
    if (!bound.has_value()) return Refuse(frame, absl::StrCat("/", keyword), "must be an integer of at least 0");
    *count = *bound;
  }
  const Json* contains = Find(frame.schema, "contains");
  if (contains == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(rule.node, ChildNode(frame, "/contains", *contains, false));
  frame.code.push_back({Op::kContains, static_cast<uint32_t>(program_.contains_rules.size())});
  program_.contains_rules.push_back(rule);
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileObjects(Frame& frame) {
  if (frame.dialect.validation) {
    RETURN_IF_ERROR(CompileBound(frame, "minProperties", Op::kMinProperties));
    RETURN_IF_ERROR(CompileBound(frame, "maxProperties", Op::kMaxProperties));
  }
  RETURN_IF_ERROR(CompileProperties(frame));
  const Json* names = frame.dialect.applicator ? Find(frame.schema, "propertyNames") : nullptr;
  if (names != nullptr) {
    ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, "/propertyNames", *names, false));
    frame.code.push_back({Op::kPropertyNames, node});
  }
  return CompileDependents(frame);
}

absl::StatusOr<std::vector<std::string>> SchemaCompiler::Names(const Frame& frame, std::string_view place,
                                                               const Json& list) {
  std::vector<std::string> names;
  const bool good = list.is_array() && std::all_of(list.begin(), list.end(), [&](const Json& name) {
                      if (!name.is_string()) return false;
                      names.push_back(name.get<std::string>());
                      return true;
                    });
  if (!good) return Refuse(frame, place, "must be a list of strings");
  return names;
}

absl::Status SchemaCompiler::CompileRequired(Frame& frame, ObjectRule& rule, bool& any) {
  const Json* required = frame.dialect.validation ? Find(frame.schema, "required") : nullptr;
  // Draft 3's flag on a property is still in use, but has had no meaning since.
  if (required == nullptr || (required->is_boolean() && frame.dialect.draft == Dialect::Draft::k7)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(frame, "/required", *required));
  int8_t bit = 0;
  for (const std::string& name : names) {
    any = true;
    if (bit == 64) {
      rule.more_required.push_back(name);
      continue;
    }
    PropertyTable::Entry& entry = rule.table.Add(name);
    if (entry.required_bit >= 0) continue;
    entry.required_bit = bit;
    rule.required_mask |= uint64_t{1} << bit++;
  }
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileProperties(Frame& frame) {
  ObjectRule rule;
  bool any = false;
  const bool applicator = frame.dialect.applicator;
  if (const Json* properties = Find(frame.schema, "properties"); applicator && properties != nullptr) {
    if (!properties->is_object()) return Refuse(frame, "/properties", "must be an object");
    any = true;
    for (const auto& [name, child] : properties->items()) {
      const bool closed = frame.closed && ClosesProperty(frame, name);
      ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, "/properties/" + EscapePointerToken(name), child, closed));
      rule.table.Add(name).node = node;
    }
  }
  if (const Json* patterns = Find(frame.schema, "patternProperties"); applicator && patterns != nullptr) {
    if (!patterns->is_object()) return Refuse(frame, "/patternProperties", "must be an object");
    any = true;
    for (const auto& [source, child] : patterns->items()) {
      const std::string place = "/patternProperties/" + EscapePointerToken(source);
      ASSIGN_OR_RETURN(const uint32_t pattern, AddPattern(frame, place, source));
      ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, place, child, frame.closed));
      rule.patterns.push_back({pattern, node});
    }
  }
  if (const Json* additional = Find(frame.schema, "additionalProperties"); applicator && additional != nullptr) {
    any = true;
    ASSIGN_OR_RETURN(rule.additional, ChildNode(frame, "/additionalProperties", *additional, frame.closed));
  } else if (frame.closed && NamesProperties(frame.schema) && SaysNothingOnOthers(frame.schema) &&
             CountInPlace(frame.schema) == 0) {
    rule.additional = FalseNode(frame.resource);
  }
  RETURN_IF_ERROR(CompileRequired(frame, rule, any));
  if (!any) return absl::OkStatus();
  rule.table.Finish();
  frame.code.push_back({Op::kObject, static_cast<uint32_t>(program_.object_rules.size())});
  program_.object_rules.push_back(std::move(rule));
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileDependents(Frame& frame) {
  const auto add = [&](Op op, Dependent dependent) {
    frame.code.push_back({op, static_cast<uint32_t>(program_.dependents.size())});
    program_.dependents.push_back(std::move(dependent));
  };
  // "dependencies" combined the two others in earlier drafts; it is still in use.
  for (const std::string_view keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
    const bool of_names = keyword == "dependentRequired";
    const bool old = keyword == "dependencies";
    if (of_names ? !frame.dialect.validation : !frame.dialect.applicator) continue;
    const Json* members = Find(frame.schema, keyword.data());
    if (members == nullptr || (!old && frame.dialect.draft == Dialect::Draft::k7)) continue;
    const std::string place = absl::StrCat("/", ToAbsl(keyword));
    if (!members->is_object()) return Refuse(frame, place, "must be an object");
    for (const auto& [name, value] : members->items()) {
      const std::string entry = absl::StrCat(place, "/", EscapePointerToken(name));
      if (of_names || (old && value.is_array())) {
        ASSIGN_OR_RETURN(std::vector<std::string> required, Names(frame, entry, value));
        add(Op::kDependentRequired, {name, std::move(required), kNone});
      } else {
        ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, entry, value, false));
        add(Op::kDependentSchema, {name, {}, node});
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const Json*> SchemaCompiler::ResolveReference(const Frame& frame, const char* keyword,
                                                             ReferenceTarget& target) {
  const Json& reference = *Find(frame.schema, keyword);
  const std::string place = absl::StrCat("/", keyword);
  if (!reference.is_string()) return Refuse(frame, place, "must be a URI reference");
  auto resolved = registry_.Resolve(frame.resource, reference.get_ref<const std::string&>());
  if (absl::IsNotFound(resolved.status())) return Refuse(frame, place, FromAbsl(resolved.status().message()));
  RETURN_IF_ERROR(resolved.status());
  target = *std::move(resolved);
  return target.schema;
}

absl::Status SchemaCompiler::CompileReferences(Frame& frame) {
  if (frame.schema.contains("$recursiveRef") && frame.dialect.draft == Dialect::Draft::k2019) {
    return Refuse(frame, "/$recursiveRef", "is not supported; $dynamicRef replaced it");
  }
  if (frame.schema.contains("$ref")) {
    ReferenceTarget target;
    ASSIGN_OR_RETURN(const Json* schema, ResolveReference(frame, "$ref", target));
    frame.code.push_back({Op::kApply, NodeFor(*schema, ClosesInPlace(frame)), 1});
    program_.default_rules[frame.node].in_place.push_back(frame.code.back().a);
  }
  if (frame.dialect.draft != Dialect::Draft::k2020 || !frame.schema.contains("$dynamicRef")) return absl::OkStatus();
  return CompileDynamicReference(frame);
}

absl::Status SchemaCompiler::CompileDynamicReference(Frame& frame) {
  ReferenceTarget target;
  ASSIGN_OR_RETURN(const Json* schema, ResolveReference(frame, "$dynamicRef", target));
  DynamicRef reference;
  const bool closed = ClosesInPlace(frame);
  reference.initial = NodeFor(*schema, closed);
  frame.code.push_back({Op::kDynamicRef, static_cast<uint32_t>(program_.dynamic_refs.size())});
  program_.dynamic_refs.push_back(std::move(reference));
  dynamic_targets_.push_back({target.dynamic_anchor, closed});
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint32_t>> SchemaCompiler::CompileBranches(const Frame& frame, const char* keyword) {
  std::vector<uint32_t> nodes;
  const Json* list = Find(frame.schema, keyword);
  if (list == nullptr) return nodes;
  if (!list->is_array() || list->empty()) {
    return Refuse(frame, absl::StrCat("/", keyword), "must be a list of at least one schema");
  }
  for (const Json& child : *list) {
    const std::string place = absl::StrCat("/", keyword, "/", nodes.size());
    ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, place, child, ClosesInPlace(frame)));
    nodes.push_back(node);
  }
  return nodes;
}

absl::Status SchemaCompiler::CompileCombinations(Frame& frame) {
  if (!frame.dialect.applicator) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<uint32_t> all, CompileBranches(frame, "allOf"));
  for (const uint32_t node : all) {
    frame.code.push_back({Op::kApply, node, 0});
    program_.default_rules[frame.node].in_place.push_back(node);
  }
  const std::array<std::pair<const char*, Op>, 2> choices = {{{"anyOf", Op::kAnyOf}, {"oneOf", Op::kOneOf}}};
  for (const auto& [keyword, op] : choices) {
    ASSIGN_OR_RETURN(std::vector<uint32_t> nodes, CompileBranches(frame, keyword));
    if (nodes.empty()) continue;
    frame.code.push_back({op, static_cast<uint32_t>(program_.branches.size())});
    program_.branches.push_back(std::move(nodes));
  }
  if (const Json* negated = Find(frame.schema, "not"); negated != nullptr) {
    ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, "/not", *negated, false));
    frame.code.push_back({Op::kNot, node});
  }
  return CompileCondition(frame);
}

absl::Status SchemaCompiler::CompileCondition(Frame& frame) {
  Condition condition;
  const std::array<std::pair<const char*, uint32_t*>, 3> parts = {
      {{"if", &condition.test}, {"then", &condition.consequent}, {"else", &condition.alternative}}};
  for (const auto& [keyword, node] : parts) {
    const Json* child = Find(frame.schema, keyword);
    if (child == nullptr) continue;
    ASSIGN_OR_RETURN(*node, ChildNode(frame, absl::StrCat("/", keyword), *child, false));
  }
  if (condition.test == kNone) return absl::OkStatus();
  frame.code.push_back({Op::kIf, static_cast<uint32_t>(program_.conditions.size())});
  program_.conditions.push_back(condition);
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileUnevaluated(Frame& frame) {
  if (frame.dialect.draft == Dialect::Draft::k7) return absl::OkStatus();
  uint32_t rule = kNone;
  for (const Instruction& instruction : frame.code) {
    if (instruction.op == Op::kObject) rule = instruction.a;
  }
  const bool on = frame.dialect.unevaluated;
  const Json* items = on ? Find(frame.schema, "unevaluatedItems") : nullptr;
  const Json* properties = on ? Find(frame.schema, "unevaluatedProperties") : nullptr;
  if (items != nullptr) {
    ASSIGN_OR_RETURN(const uint32_t node, ChildNode(frame, "/unevaluatedItems", *items, frame.closed));
    frame.code.push_back({Op::kUnevaluatedItems, node});
  }
  uint32_t node = kNone;
  if (properties != nullptr) {
    ASSIGN_OR_RETURN(node, ChildNode(frame, "/unevaluatedProperties", *properties, frame.closed));
  } else if (frame.closed && SaysNothingOnOthers(frame.schema) && CountInPlace(frame.schema) > 0 &&
             !ClosesInPlace(frame) && ReachesProperty(frame.schema, nullptr, 0)) {
    node = FalseNode(frame.resource);
  }
  if (node != kNone) frame.code.push_back({Op::kUnevaluatedProperties, node, rule});
  program_.nodes[frame.node].tracks = items != nullptr || node != kNone;
  return absl::OkStatus();
}

absl::Status SchemaCompiler::CompileDefinitions(Frame& frame) {
  for (const char* const keyword : {"$defs", "definitions"}) {
    const Json* definitions = Find(frame.schema, keyword);
    if (definitions == nullptr) continue;
    if (!definitions->is_object()) return Refuse(frame, absl::StrCat("/", keyword), "must be an object");
    for (const auto& [name, child] : definitions->items()) {
      const std::string place = absl::StrCat("/", keyword, "/", EscapePointerToken(name));
      RETURN_IF_ERROR(ChildNode(frame, place, child, options_.close_objects && frame.resource == 0).status());
    }
  }
  return absl::OkStatus();
}

bool SchemaCompiler::ClosesInPlace(const Frame& frame) const {
  if (!frame.closed || !SaysNothingOnOthers(frame.schema) || NamesProperties(frame.schema)) return false;
  if (CountInPlace(frame.schema) != 1) return false;
  // A reference or a choice alone is equivalent to its target; so is a list of conditions if it has only one.
  const Json* all = Find(frame.schema, "allOf");
  if (all != nullptr) return all->is_array() && all->size() == 1;
  return frame.schema.contains("$ref") || frame.schema.contains("$dynamicRef") || frame.schema.contains("anyOf") ||
         frame.schema.contains("oneOf");
}

bool SchemaCompiler::ClosesProperty(const Frame& frame, const std::string& name) {
  return CountInPlace(frame.schema) == 0 || !ReachesPropertyInPlace(frame.schema, &name, 0);
}

bool SchemaCompiler::ReachesProperty(const Json& schema, const std::string* name, int depth) {
  if (!schema.is_object() || depth > kMaxLookThrough) return false;
  if (name == nullptr && NamesProperties(schema)) return true;
  if (name != nullptr && DescribesProperty(schema, *name)) return true;
  return ReachesPropertyInPlace(schema, name, depth);
}

bool SchemaCompiler::ReachesPropertyInPlace(const Json& schema, const std::string* name, int depth) {
  for (const char* const keyword : kInPlace) {
    const Json* value = Find(schema, keyword);
    if (value == nullptr) continue;
    if (value->is_string()) {
      auto target = registry_.Resolve(registry_.PlaceOf(&schema).resource, value->get_ref<const std::string&>());
      if (target.ok() && ReachesProperty(*target->schema, name, depth + 1)) return true;
    } else if (value->is_array() || std::string_view(keyword) == "dependentSchemas") {
      for (const Json& child : *value) {
        if (ReachesProperty(child, name, depth + 1)) return true;
      }
    } else if (ReachesProperty(*value, name, depth + 1)) {
      return true;
    }
  }
  return false;
}

const Json* SchemaCompiler::DefaultOf(const Json& schema, int depth) {
  if (!schema.is_object() || depth > kMaxLookThrough) return nullptr;
  if (const Json* value = Find(schema, "default"); value != nullptr) return value;
  if (const Json* reference = Find(schema, "$ref"); reference != nullptr && reference->is_string()) {
    auto target = registry_.Resolve(registry_.PlaceOf(&schema).resource, reference->get_ref<const std::string&>());
    if (target.ok()) {
      if (const Json* value = DefaultOf(*target->schema, depth + 1); value != nullptr) return value;
    }
  }
  const Json* all = Find(schema, "allOf");
  if (all == nullptr || !all->is_array()) return nullptr;
  for (const Json& child : *all) {
    if (const Json* value = DefaultOf(child, depth + 1); value != nullptr) return value;
  }
  return nullptr;
}

absl::Status SchemaCompiler::CompileDefaults(Frame& frame) {
  for (const Instruction& instruction : frame.code) {
    DefaultRule& rule = program_.default_rules[frame.node];
    if (instruction.op == Op::kItems) {
      const ItemRule& items = program_.item_rules[instruction.a];
      rule.prefix = items.prefix;
      rule.prefix_size = items.prefix.size();
      rule.items = items.rest;
    } else if (instruction.op == Op::kObject) {
      for (const PropertyTable::Entry& entry : program_.object_rules[instruction.a].table.entries()) {
        if (entry.node == PropertyTable::kNoNode) continue;
        rule.properties.emplace_back(entry.name, entry.node);
        const Json* value = DefaultOf(frame.schema.at("properties").at(entry.name), 0);
        if (value != nullptr) rule.defaults.push_back({entry.name, *value});
      }
    }
  }
  return absl::OkStatus();
}

absl::Status SchemaCompiler::FinishDynamicReferences() {
  // Compiling the anchors of one resource may enter another, so this is repeated until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < program_.dynamic_refs.size(); ++i) {
      const auto& [anchor, closed] = dynamic_targets_[i];
      if (anchor.empty()) continue;
      program_.dynamic_refs[i].dynamic = true;
      program_.dynamic_refs[i].node_by_resource.resize(registry_.resource_count(), kNone);
      for (uint32_t r = 0; r < registry_.resource_count(); ++r) {
        uint32_t& node = program_.dynamic_refs[i].node_by_resource[r];
        if (node != kNone || r >= entered_.size() || !entered_[r]) continue;
        const auto& anchors = registry_.resource(r).dynamic_anchors;
        const auto found = anchors.find(anchor);
        if (found == anchors.end()) continue;
        node = NodeFor(*found->second, closed);
        changed = true;
      }
    }
    RETURN_IF_ERROR(CompilePending());
  }
  return absl::OkStatus();
}

void SchemaCompiler::AppendInPlace(const Instruction& instruction, std::vector<uint32_t>& nodes) const {
  switch (instruction.op) {
    case Op::kApply:
    case Op::kNot:
      nodes.push_back(instruction.a);
      return;
    case Op::kDynamicRef: {
      // If the scope decides among several targets, a possible circle need not be taken.
      const DynamicRef& reference = program_.dynamic_refs[instruction.a];
      const bool certain = std::all_of(reference.node_by_resource.begin(), reference.node_by_resource.end(),
                                       [&](uint32_t node) { return node == kNone || node == reference.initial; });
      if (certain) nodes.push_back(reference.initial);
      return;
    }
    case Op::kIf: {
      // A condition that was true once is true again: the value is the same.
      const Condition& condition = program_.conditions[instruction.a];
      nodes.insert(nodes.end(), {condition.test, condition.consequent, condition.alternative});
      return;
    }
    case Op::kDependentSchema:
      nodes.push_back(program_.dependents[instruction.a].node);
      return;
    case Op::kAnyOf:
    case Op::kOneOf: {
      const std::vector<uint32_t>& branches = program_.branches[instruction.a];
      nodes.insert(nodes.end(), branches.begin(), branches.end());
      return;
    }
    default:
      return;
  }
}

absl::Status SchemaCompiler::CheckRecursion() const {
  std::vector<std::vector<uint32_t>> edges(program_.nodes.size());
  for (size_t i = 0; i < program_.nodes.size(); ++i) {
    for (uint32_t at = program_.nodes[i].begin; at < program_.nodes[i].end; ++at) {
      AppendInPlace(program_.code[at], edges[i]);
    }
    std::erase(edges[i], kNone);
  }
  // A depth-first walk with its own stack; a step to a node that is still open closes a circle.
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(edges.size(), State::kNew);
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t start = 0; start < edges.size(); ++start) {
    if (states[start] != State::kNew) continue;
    stack.emplace_back(start, 0);
    states[start] = State::kOpen;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == edges[node].size()) {
        states[node] = State::kDone;
        stack.pop_back();
        continue;
      }
      const uint32_t target = edges[node][next++];
      if (states[target] == State::kOpen) {
        const std::string place = registry_.Describe(program_.nodes[target].resource, pointers_[target]);
        return absl::InvalidArgumentError(absl::StrCat(place, ": refers to itself without end"));
      }
      if (states[target] == State::kDone) continue;
      states[target] = State::kOpen;
      stack.emplace_back(target, 0);
    }
  }
  return absl::OkStatus();
}

void SchemaCompiler::PruneDefaults() {
  std::vector<DefaultRule>& rules = program_.default_rules;
  std::vector<bool> fills(rules.size());
  const auto reaches = [&](uint32_t node) { return node != kNone && fills[node]; };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < rules.size(); ++i) {
      if (fills[i]) continue;
      const DefaultRule& rule = rules[i];
      fills[i] = !rule.defaults.empty() || reaches(rule.items) ||
                 std::any_of(rule.prefix.begin(), rule.prefix.end(), reaches) ||
                 std::any_of(rule.in_place.begin(), rule.in_place.end(), reaches) ||
                 std::any_of(rule.properties.begin(), rule.properties.end(),
                             [&](const auto& property) { return reaches(property.second); });
      changed = changed || fills[i];
    }
  }
  if (fills.empty() || !fills[0]) {
    rules.clear();
    return;
  }
  for (DefaultRule& rule : rules) {
    std::erase_if(rule.properties, [&](const auto& property) { return !reaches(property.second); });
    std::erase_if(rule.in_place, [&](uint32_t node) { return !reaches(node); });
    for (uint32_t& node : rule.prefix) node = reaches(node) ? node : kNone;
    rule.items = reaches(rule.items) ? rule.items : kNone;
    if (std::all_of(rule.prefix.begin(), rule.prefix.end(), [](uint32_t node) { return node == kNone; })) {
      rule.prefix.clear();
    }
  }
}

}  // namespace toolgate::security::param_validation
