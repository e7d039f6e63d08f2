#include "security/param_validation/inspect_schema.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/param_validation/argument_guards.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {
namespace {

constexpr size_t kMaxCachedSchemas = 10'000;
// Lines come from people who tune the layer: longer than arguments may be, but still limited.
constexpr JsonLimits kLineLimits{
    .max_bytes = size_t{64} << 20, .max_depth = 512, .max_keys = 1'000'000, .max_values = 10'000'000};

Json VerdictOf(const std::vector<Violation>& violations) {
  Json errors = Json::array();
  for (const Violation& violation : violations) {
    errors.push_back({{"path", violation.path},
                      {"rule", violation.rule},
                      {"expected", violation.expected},
                      {"found", violation.found}});
  }
  return Json{{"valid", violations.empty()}, {"errors", std::move(errors)}};
}

// Violations apart from the schema.
std::optional<Violation> GuardArguments(const Json& arguments) {
  if (!arguments.is_object()) return Violation{"", "type", "object", DescribeValue(arguments)};
  return FindPrototypeKey(arguments);
}

bool IsTrue(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace

std::string SchemaInspector::Inspect(std::string_view line) {
  const absl::StatusOr<Json> verdict = Verdict(line);
  if (verdict.ok()) return DumpJson(*verdict);
  return DumpJson(Json{{"error", std::string(verdict.status().message())}});
}

absl::StatusOr<Json> SchemaInspector::Verdict(std::string_view text) {
  ASSIGN_OR_RETURN(Json line, ParseJson(text, kLineLimits));
  const bool has_data = line.is_object() && line.contains("data");
  const bool has_text = line.is_object() && line.contains("data_json");
  if (!line.is_object() || !line.contains("schema") || has_data == has_text) {
    return absl::InvalidArgumentError("a line must be an object with \"schema\" and one of \"data\" and \"data_json\"");
  }
  const auto as = line.find("as");
  if (as != line.end() && *as != "arguments") {
    return absl::InvalidArgumentError("\"as\" must be \"arguments\" where it is given");
  }
  const bool as_arguments = as != line.end();
  ASSIGN_OR_RETURN(const JsonSchema* schema, SchemaFor(line["schema"], as_arguments, IsTrue(line, "formats")));
  Json data;
  if (has_data) {
    data = std::move(line["data"]);
  } else {
    if (!line["data_json"].is_string()) return absl::InvalidArgumentError("\"data_json\" must be a string");
    const std::string& data_text = line["data_json"].get_ref<const std::string&>();
    const bool left_out = as_arguments && data_text.empty();
    auto parsed = ParseJson(left_out ? "{}" : data_text, as_arguments ? JsonLimits{} : kLineLimits);
    if (!parsed.ok()) {
      return VerdictOf({{"", "json", "one well-formed JSON value", std::string(parsed.status().message())}});
    }
    data = *std::move(parsed);
  }
  if (as_arguments) {
    if (std::optional<Violation> guarded = GuardArguments(data)) return VerdictOf({*std::move(guarded)});
    schema->RemoveNulls(data);
    schema->FillDefaults(data);
  }
  return VerdictOf(schema->Validate(data));
}

absl::StatusOr<const JsonSchema*> SchemaInspector::SchemaFor(const Json& schema, bool as_arguments, bool formats) {
  const std::string key = absl::StrCat(as_arguments ? "a" : formats ? "f" : "s", DumpJson(schema));
  if (const auto cached = schemas_.find(key); cached != schemas_.end()) return cached->second.get();
  auto compiled =
      JsonSchema::Compile(schema, {.assert_formats = as_arguments || formats, .close_objects = as_arguments});
  if (!compiled.ok()) {
    return absl::Status(compiled.status().code(), absl::StrCat("the schema is refused: ", compiled.status().message()));
  }
  if (schemas_.size() >= kMaxCachedSchemas) schemas_.clear();
  return (schemas_[key] = *std::move(compiled)).get();
}

}  // namespace toolgate::security::param_validation
