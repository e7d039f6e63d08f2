#include "services/rendering/strict_schema.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"

namespace toolgate::services::rendering {
namespace {

// OpenAI's published limits of one schema.
constexpr int kMaxProperties = 5000;
constexpr int kMaxNesting = 10;
constexpr size_t kMaxTextBytes = 120'000;  // Names of properties, and values of enum and const.
constexpr size_t kMaxEnumValues = 1000;
constexpr size_t kLongEnum = 250;  // Values beyond which an enum's own texts are bounded.
constexpr size_t kMaxLongEnumBytes = 15'000;

// Keywords that neither allow nor forbid anything.
constexpr std::array<std::string_view, 6> kIgnored = {"$comment", "deprecated", "examples",
                                                      "readOnly", "title",      "writeOnly"};
// Formats that both providers know; Anthropic knows "uri" as well.
constexpr std::array<std::string_view, 9> kFormats = {"date", "date-time", "duration", "email", "hostname",
                                                      "ipv4", "ipv6",      "time",     "uuid"};

bool IsTrue(const Json& value) { return value.is_boolean() && value.get<bool>(); }

// Whether the values of `schema`, which needs no references, can be null.
bool AcceptsNull(const Json& schema) {
  if (!schema.is_object()) return true;
  if (const auto values = schema.find("enum"); values != schema.end()) {
    return std::find(values->begin(), values->end(), Json()) != values->end();
  }
  if (const auto value = schema.find("const"); value != schema.end()) return value->is_null();
  if (const auto branches = schema.find("anyOf"); branches != schema.end()) {
    return std::any_of(branches->begin(), branches->end(), AcceptsNull);
  }
  const auto type = schema.find("type");
  if (type == schema.end()) return true;
  return *type == "null" || (type->is_array() && std::find(type->begin(), type->end(), "null") != type->end());
}

bool IsRequired(const Json& schema, const std::string& name) {
  const auto required = schema.find("required");
  return required != schema.end() && std::find(required->begin(), required->end(), name) != required->end();
}

bool IsScalar(const Json& value) { return !value.is_structured(); }

// Whether the type list `type` names only scalars.
bool HasScalarTypesOnly(const Json& type) {
  return std::none_of(type.begin(), type.end(), [](const Json& name) { return name == "object" || name == "array"; });
}

// `schema`, already strict, with null as a further value.
void AddNull(Json& schema) {
  if (const auto value = schema.find("const"); value != schema.end()) {
    schema["enum"] = Json::array({*value});
    schema.erase("const");
  }
  if (const auto branches = schema.find("anyOf"); branches != schema.end()) {
    branches->push_back(Json{{"type", "null"}});
    return;
  }
  if (const auto values = schema.find("enum"); values != schema.end()) values->push_back(nullptr);
  const auto type = schema.find("type");
  if (type == schema.end()) return;
  if (type->is_string()) *type = Json::array({*type});
  type->push_back("null");
}

// A keyword that bounds values, and how it is said to the model: its value stands between two texts.
struct Bound {
  std::string_view keyword;
  std::string_view before;
  std::string_view after;
};
constexpr std::array<Bound, 14> kBounds = {{
    {"minLength", "At least ", " characters."},
    {"maxLength", "At most ", " characters."},
    {"pattern", "Matches the regular expression ", " ."},
    {"format", "Format: ", "."},
    {"minimum", "At least ", "."},
    {"maximum", "At most ", "."},
    {"exclusiveMinimum", "More than ", "."},
    {"exclusiveMaximum", "Less than ", "."},
    {"multipleOf", "A multiple of ", "."},
    {"minItems", "At least ", " items."},
    {"maxItems", "At most ", " items."},
    {"minProperties", "At least ", " members."},
    {"maxProperties", "At most ", " members."},
    {"uniqueItems", "No item twice.", ""},
}};

// Empty where the bound allows everything.
std::string Sentence(const Bound& bound, const Json& value) {
  if (bound.keyword == "uniqueItems") return IsTrue(value) ? std::string(bound.before) : "";
  if (bound.keyword == "minLength" && value == 1) return "Not empty.";
  return absl::StrCat(ToAbsl(bound.before), value.is_string() ? value.get<std::string>() : DumpJson(value),
                      ToAbsl(bound.after));
}

void Describe(std::string_view sentence, Json& schema) {
  if (sentence.empty()) return;
  const auto found = schema.find("description");
  if (found == schema.end()) {
    schema["description"] = std::string(sentence);
  } else {
    *found = absl::StrCat(found->get_ref<const std::string&>(), " ", ToAbsl(sentence));
  }
}

// Rewrites one schema, and counts. Every method answers false when the schema has no strict form.
class Rewriter {
 public:
  explicit Rewriter(StrictDialect dialect) : dialect_(dialect) {}

  bool Rewrite(const Json& in, int nesting, Json& out) {
    if (!in.is_object() || nesting > kMaxNesting) return false;
    out = Json::object();
    Json rest = in;  // Without what has been rewritten.
    for (const std::string_view keyword : kIgnored) rest.erase(std::string(keyword));
    if (!TakeType(rest, out) || !TakeDescription(rest, out) || !TakeLiterals(rest, out)) return false;
    if (!TakeBranches(rest, nesting, out) || !TakeObject(rest, nesting, out) || !TakeArray(rest, nesting, out)) {
      return false;
    }
    TakeBounds(rest, out);
    if (const auto fallback = rest.find("default"); fallback != rest.end()) {
      // For OpenAI, the caller says what null stands for.
      if (dialect_ == StrictDialect::kAnthropic) Describe(absl::StrCat("Default: ", DumpJson(*fallback), "."), out);
      rest.erase("default");
    }
    return rest.empty() &&
           (out.contains("type") || out.contains("enum") || out.contains("const") || out.contains("anyOf"));
  }

  bool IsWithinLimits() const {
    return dialect_ != StrictDialect::kOpenAi || (properties_ <= kMaxProperties && text_bytes_ <= kMaxTextBytes &&
                                                  enum_values_ <= kMaxEnumValues && !long_enum_);
  }
  int optional_properties() const { return optional_properties_; }
  int unions() const { return unions_; }

 private:
  static bool TakeDescription(Json& rest, Json& out) {
    const auto description = rest.find("description");
    if (description == rest.end()) return true;
    if (!description->is_string()) return false;
    out["description"] = *description;
    rest.erase("description");
    return true;
  }

  // Numbers that are multiples of one become integers, which is the same set of values.
  bool TakeType(Json& rest, Json& out) {
    const auto type = rest.find("type");
    if (type == rest.end()) return true;
    if (type->is_array()) {
      if (!HasScalarTypesOnly(*type)) return false;
      ++unions_;
    }
    out["type"] = *type;
    rest.erase("type");
    if (out["type"] == "number" && rest.contains("multipleOf") && rest["multipleOf"] == 1) {
      out["type"] = "integer";
      rest.erase("multipleOf");
    }
    return true;
  }

  bool TakeLiterals(Json& rest, Json& out) {
    const auto values = rest.find("enum");
    const auto value = rest.find("const");
    if (values == rest.end() && value == rest.end()) return true;
    const Json literals = values != rest.end() ? *values : Json::array({*value});
    if (!literals.is_array() || literals.empty() || !std::all_of(literals.begin(), literals.end(), IsScalar)) {
      return false;
    }
    CountLiterals(literals);
    // Both at once, or a type beside them that excludes some of them, would need an intersection.
    if (values != rest.end() && value != rest.end()) return false;
    if (out.contains("type") && !HaveType(literals, out["type"])) return false;
    if (dialect_ == StrictDialect::kAnthropic) out.erase("type");
    const char* const keyword = values != rest.end() ? "enum" : "const";
    out[keyword] = rest[keyword];
    rest.erase(keyword);
    return true;
  }

  bool TakeBranches(Json& rest, int nesting, Json& out) {
    const auto branches = rest.find("anyOf");
    if (branches == rest.end()) return true;
    if (!branches->is_array() || out.contains("type") || out.contains("enum") || out.contains("const") ||
        nesting == 1) {
      return false;
    }
    ++unions_;
    Json rewritten = Json::array();
    for (const Json& branch : *branches) {
      if (!Rewrite(branch, nesting, rewritten.emplace_back())) return false;
    }
    rest.erase("anyOf");
    // Further keywords beside it would need an intersection.
    if (!rest.empty() && !(rest.size() == 1 && rest.contains("default"))) return false;
    out["anyOf"] = std::move(rewritten);
    return true;
  }

  bool TakeObject(Json& rest, int nesting, Json& out) {
    if (!out.contains("type") || out["type"] != "object") return true;
    const auto closed = rest.find("additionalProperties");
    if (closed == rest.end() || *closed != false) return false;
    const Json properties = rest.value("properties", Json::object());
    Json strict = Json::object();
    Json required = Json::array();
    for (const auto& [name, property] : properties.items()) {
      const bool is_required = IsRequired(rest, name);
      if (!TakeProperty(property, is_required, nesting, strict[name])) return false;
      text_bytes_ += name.size();
      if (is_required || dialect_ == StrictDialect::kOpenAi) required.push_back(name);
    }
    if (rest.contains("required") && !AreDeclared(rest["required"], properties)) return false;
    out["properties"] = std::move(strict);
    out["required"] = std::move(required);
    out["additionalProperties"] = false;
    for (const char* keyword : {"properties", "required", "additionalProperties"}) rest.erase(keyword);
    return true;
  }

  bool TakeProperty(const Json& property, bool is_required, int nesting, Json& out) {
    ++properties_;
    if (!Rewrite(property, nesting + 1, out)) return false;
    if (is_required) return true;
    ++optional_properties_;
    if (dialect_ == StrictDialect::kAnthropic) return true;
    if (AcceptsNull(property)) return false;  // Null and absence are not the same.
    AddNull(out);
    const auto fallback = property.find("default");
    Describe(fallback == property.end() ? "Null leaves it out." : absl::StrCat("Null means ", DumpJson(*fallback), "."),
             out);
    return true;
  }

  bool TakeArray(Json& rest, int nesting, Json& out) {
    if (!out.contains("type") || out["type"] != "array") return true;
    const auto items = rest.find("items");
    if (items == rest.end() || !Rewrite(*items, nesting + 1, out["items"])) return false;
    rest.erase("items");
    return true;
  }

  // Keeps the bounds of the dialect, and writes the others into the description.
  void TakeBounds(Json& rest, Json& out) {
    for (const Bound& bound : kBounds) {
      const std::string keyword(bound.keyword);
      const auto value = rest.find(keyword);
      if (value == rest.end()) continue;
      if (Keeps(keyword, *value, out)) {
        out[keyword] = *value;
      } else {
        Describe(Sentence(bound, *value), out);
      }
      rest.erase(keyword);
    }
  }

  bool Keeps(std::string_view keyword, const Json& value, const Json& out) const {
    const bool openai = dialect_ == StrictDialect::kOpenAi;
    if (keyword == "format") {
      return out.contains("type") && out["type"] == "string" && value.is_string() &&
             (text::IsOneOf(value.get_ref<const std::string&>(), kFormats) || (!openai && value == "uri"));
    }
    if (keyword == "minItems") return openai || value == 0 || value == 1;
    constexpr std::array<std::string_view, 6> kRanges = {"minimum",          "maximum",    "exclusiveMinimum",
                                                         "exclusiveMaximum", "multipleOf", "maxItems"};
    return openai && text::IsOneOf(keyword, kRanges);
  }

  void CountLiterals(const Json& literals) {
    size_t bytes = 0;
    for (const Json& literal : literals) {
      if (literal.is_string()) bytes += literal.get_ref<const std::string&>().size();
    }
    text_bytes_ += bytes;
    enum_values_ += literals.size();
    if (literals.size() > kLongEnum && bytes > kMaxLongEnumBytes) long_enum_ = true;
  }

  static bool HaveType(const Json& literals, const Json& type) {
    const auto has = [&](const Json& literal) {
      const std::string_view name = literal.is_null()             ? "null"
                                    : literal.is_boolean()        ? "boolean"
                                    : literal.is_string()         ? "string"
                                    : literal.is_number_integer() ? "integer"
                                                                  : "number";
      const auto named = [&](std::string_view wanted) {
        return type.is_string() ? type == std::string(wanted)
                                : std::find(type.begin(), type.end(), std::string(wanted)) != type.end();
      };
      return named(name) || (name == "integer" && named("number"));
    };
    return std::all_of(literals.begin(), literals.end(), has);
  }

  static bool AreDeclared(const Json& required, const Json& properties) {
    return std::all_of(required.begin(), required.end(), [&](const Json& name) {
      return name.is_string() && properties.contains(name.get_ref<const std::string&>());
    });
  }

  const StrictDialect dialect_;
  int properties_ = 0;
  int optional_properties_ = 0;
  int unions_ = 0;
  size_t text_bytes_ = 0;
  size_t enum_values_ = 0;
  bool long_enum_ = false;  // One is too long in itself.
};

}  // namespace

std::optional<StrictSchema> MakeStrict(const Json& schema, StrictDialect dialect) {
  Rewriter rewriter(dialect);
  StrictSchema strict;
  if (!rewriter.Rewrite(schema, /*nesting=*/1, strict.schema) || !rewriter.IsWithinLimits()) return std::nullopt;
  if (strict.schema.value("type", Json()) != "object") return std::nullopt;
  strict.optional_properties = rewriter.optional_properties();
  strict.unions = rewriter.unions();
  return strict;
}

}  // namespace toolgate::services::rendering
