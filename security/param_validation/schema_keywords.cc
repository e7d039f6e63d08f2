#include "security/param_validation/schema_keywords.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace toolgate::security::param_validation {
namespace {

enum class Shape { kSchema, kList, kMap, kSchemaOrList };

struct Keyword {
  std::string_view name;
  Shape shape;
};

constexpr Keyword kKeywords[] = {
    {"$defs", Shape::kMap},
    {"additionalItems", Shape::kSchema},
    {"additionalProperties", Shape::kSchema},
    {"allOf", Shape::kList},
    {"anyOf", Shape::kList},
    {"contains", Shape::kSchema},
    {"contentSchema", Shape::kSchema},
    {"definitions", Shape::kMap},
    {"dependencies", Shape::kMap},
    {"dependentSchemas", Shape::kMap},
    {"else", Shape::kSchema},
    {"if", Shape::kSchema},
    {"items", Shape::kSchemaOrList},
    {"not", Shape::kSchema},
    {"oneOf", Shape::kList},
    {"patternProperties", Shape::kMap},
    {"prefixItems", Shape::kList},
    {"properties", Shape::kMap},
    {"propertyNames", Shape::kSchema},
    {"then", Shape::kSchema},
    {"unevaluatedItems", Shape::kSchema},
    {"unevaluatedProperties", Shape::kSchema},
};

// In alphabetical order, as is the next list.
constexpr std::string_view kKnown[] = {
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    // From earlier drafts, but accepted in every draft.
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
    "x-toolgate-format",
    "x-toolgate-injection",
    "x-toolgate-mask",
    "x-toolgate-permission",
    "x-toolgate-sanitize",
};
constexpr std::string_view kEarlier[] = {"$recursiveAnchor", "$recursiveRef", "additionalItems", "id"};

constexpr std::string_view kAnyones = "x-";
constexpr std::string_view kOurs = "x-toolgate-";

bool IsSchema(const Json& value) { return value.is_object() || value.is_boolean(); }

}  // namespace

void ForEachSubschema(const Json& schema, bool draft7, absl::FunctionRef<void(const Json&, std::string_view)> visit) {
  // In these drafts, everything beside a $ref is ignored, except the definitions that it may lead to.
  const bool only_definitions = draft7 && schema.contains("$ref");
  for (const auto& [key, value] : schema.items()) {
    const auto keyword = std::lower_bound(std::begin(kKeywords), std::end(kKeywords), key,
                                          [](const Keyword& row, std::string_view name) { return row.name < name; });
    if (keyword == std::end(kKeywords) || keyword->name != key) continue;
    if (only_definitions && key != "definitions" && key != "$defs") continue;
    if (IsSchema(value) && keyword->shape != Shape::kMap) {
      visit(value, absl::StrCat("/", key));
    } else if (value.is_object() && keyword->shape == Shape::kMap) {
      for (const auto& [name, member] : value.items()) {
        if (IsSchema(member)) visit(member, absl::StrCat("/", key, "/", EscapePointerToken(name)));
      }
    } else if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        if (IsSchema(value[i])) visit(value[i], absl::StrCat("/", key, "/", i));
      }
    }
  }
}

bool IsKnownKeyword(std::string_view name, bool earlier_drafts) {
  if (name.starts_with(kAnyones) && !name.starts_with(kOurs)) return true;
  return std::binary_search(std::begin(kKnown), std::end(kKnown), name) ||
         (earlier_drafts && std::binary_search(std::begin(kEarlier), std::end(kEarlier), name));
}

std::vector<std::string_view> KnownKeywords() { return {std::begin(kKnown), std::end(kKnown)}; }

bool IsAnchorName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

}  // namespace toolgate::security::param_validation
