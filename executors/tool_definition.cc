#include "executors/tool_definition.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/executor_definition.h"
#include "executors/member_reader.h"

namespace toolgate::executors {
namespace {

constexpr std::array<std::pair<std::string_view, Category>, 5> kCategories = {{
    {"read", Category::kRead},
    {"create", Category::kCreate},
    {"update", Category::kUpdate},
    {"delete", Category::kDelete},
    {"execute", Category::kExecute},
}};
constexpr std::array<std::pair<std::string_view, ConfirmationRule>, 3> kConfirmationRules = {{
    {"never", ConfirmationRule::kNever},
    {"always", ConfirmationRule::kAlways},
    {"conditional", ConfirmationRule::kConditional},
}};
constexpr std::array<std::pair<std::string_view, Audience>, 3> kAudiences = {{
    {"any", Audience::kAny},
    {"user", Audience::kUser},
    {"guest", Audience::kGuest},
}};

constexpr std::array<std::pair<std::string_view, ResultEvent>, 3> kResultEvents = {{
    {"artifact_complete", ResultEvent::kArtifactComplete},
    {"image_complete", ResultEvent::kImageComplete},
    {"web_search", ResultEvent::kWebSearch},
}};

// Those of layer 1 (injection_defence.h) that a tool can be for; "chat" is for none.
constexpr std::array<std::string_view, 3> kModes = {"artifact", "image", "search"};

constexpr std::array<std::string_view, 17> kMembers = {
    "id",          "name",    "description", "category", "module", "permissions", "modes",  "switch",  "confirmation",
    "annotations", "timeout", "limits",      "executor", "event",  "arguments",   "result", "examples"};

bool IsPermission(std::string_view text) {
  const size_t colon = text.find(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < text.size() &&
         text.find(':', colon + 1) == std::string_view::npos;
}

bool Declares(const Json& schema, std::string_view keyword) { return schema.contains(std::string(keyword)); }

// Adds additionalProperties: false to every object schema that does not set it. Branches of a composition (allOf,
// anyOf, …) and `not` are left unchanged: closing one branch would contradict its siblings.
void CloseObjects(Json& schema) {
  if (!schema.is_object()) return;
  const auto type = schema.find("type");
  const bool is_object =
      schema.contains("properties") ||
      (type != schema.end() &&
       (*type == "object" || (type->is_array() && std::find(type->begin(), type->end(), "object") != type->end())));
  for (const char* keyword : {"properties", "$defs"}) {
    const auto members = schema.find(keyword);
    if (members == schema.end() || !members->is_object()) continue;
    for (auto& member : members->get_ref<Json::object_t&>()) CloseObjects(member.second);
  }
  for (const char* keyword : {"items", "additionalProperties"}) {
    const auto child = schema.find(keyword);
    if (child != schema.end()) CloseObjects(*child);
  }
  const auto tuple = schema.find("prefixItems");
  if (tuple != schema.end() && tuple->is_array()) {
    for (Json& item : *tuple) CloseObjects(item);
  }
  if (is_object && !Declares(schema, "additionalProperties") && !Declares(schema, "unevaluatedProperties")) {
    schema["additionalProperties"] = false;
  }
}

void ReadPermissions(MemberReader& reader, ToolDefinition& definition) {
  const Json* list = reader.Require("permissions", "an array of \"domain:action\"");
  if (list == nullptr) return;
  if (!list->is_array() || (list->empty() && !definition.internal)) {
    return reader.Fail("permissions", "must be an array that is not empty");
  }
  for (const Json& item : *list) {
    if (!item.is_string() || !IsPermission(item.get_ref<const std::string&>())) {
      return reader.Fail("permissions", "must hold strings of the form \"domain:action\"");
    }
    definition.permissions.push_back(item.get<std::string>());
  }
}

void ReadModes(MemberReader& reader, ToolDefinition& definition) {
  const Json* list = reader.Find("modes");
  if (list == nullptr) return;
  if (!list->is_array()) return reader.Fail("modes", "must be an array");
  for (const Json& item : *list) {
    if (!item.is_string() ||
        std::find(kModes.begin(), kModes.end(), item.get_ref<const std::string&>()) == kModes.end()) {
      return reader.Fail("modes", "must hold some of artifact, image, search");
    }
    definition.modes.push_back(item.get<std::string>());
  }
}

void ReadAnnotations(std::string_view path, MemberReader& reader, ToolDefinition& definition) {
  const Json* object = reader.Require("annotations", "an object");
  if (object == nullptr) return;
  MemberReader inner(path, "/annotations", *object);
  inner.AllowOnly(std::array<std::string_view, 6>{"readOnly", "destructive", "idempotent", "openWorld", "reversible",
                                                  "remembered"});
  Annotations& annotations = definition.annotations;
  inner.Bool("readOnly", annotations.read_only);
  inner.Bool("destructive", annotations.destructive);
  inner.Bool("idempotent", annotations.idempotent);
  inner.Bool("openWorld", annotations.open_world);
  inner.Bool("reversible", annotations.reversible);
  inner.Bool("remembered", annotations.remembered);
  reader.Fail(inner.status());
  if (annotations.read_only && annotations.destructive) {
    reader.Fail("annotations", "cannot be readOnly and destructive at once");
  }
  if (annotations.read_only && annotations.remembered) {
    reader.Fail("annotations", "cannot be readOnly and remembered at once: what changes nothing leaves nothing behind");
  }
}

void ReadLimits(std::string_view path, MemberReader& reader, ToolDefinition& definition) {
  const Json* list = reader.Find("limits");
  if (list == nullptr) return;
  if (!list->is_array()) return reader.Fail("limits", "must be an array");
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string pointer = absl::StrCat("/limits/", i);
    MemberReader inner(path, pointer, (*list)[i]);
    inner.AllowOnly(std::array<std::string_view, 3>{"audience", "max", "window"});
    RateLimit limit;
    if (inner.Find("audience") != nullptr) limit.audience = inner.OneOf("audience", kAudiences);
    const Json* max = inner.Require("max", "a whole number above zero");
    if (max != nullptr && (!max->is_number_integer() || *max < 1 || *max > 1'000'000'000)) {
      inner.Fail("max", "must be a whole number above zero");
    } else if (max != nullptr) {
      limit.max_calls = max->get<int>();
    }
    inner.Require("window", "a duration such as \"1h\"");
    limit.window = inner.Duration("window", absl::ZeroDuration());
    reader.Fail(inner.status());
    definition.limits.push_back(limit);
  }
}

void ReadSchema(MemberReader& reader, std::string_view name, Json& target) {
  const Json* schema = reader.Require(name, "a JSON Schema of type object");
  if (schema == nullptr) return;
  if (!schema->is_object() || schema->value("type", Json()) != "object") {
    return reader.Fail(name, "must be a JSON Schema whose type is \"object\"");
  }
  target = *schema;
}

// The properties of the result that `event` is made of, unless the schema declares them; empty if it does.
std::string_view MissingFor(ResultEvent event, const Json& result_schema) {
  const auto properties = result_schema.find("properties");
  const auto has = [&](const char* name) { return properties != result_schema.end() && properties->contains(name); };
  switch (event) {
    case ResultEvent::kArtifactComplete:
      return has("artifactCode") && has("type") ? "" : "\"artifactCode\" and \"type\"";
    case ResultEvent::kImageComplete:
      return has("imageUrl") || has("imageData") ? "" : "\"imageUrl\" or \"imageData\"";
    case ResultEvent::kWebSearch:
      return has("query") && has("sources") ? "" : "\"query\" and \"sources\"";
    case ResultEvent::kNone:
      break;
  }
  return "";
}

// After the result schema, from which the event takes its fields.
void ReadResultEvent(MemberReader& reader, ToolDefinition& definition) {
  if (reader.Find("event") == nullptr) return;
  definition.result_event = reader.OneOf("event", kResultEvents);
  const std::string_view missing = MissingFor(definition.result_event, definition.result_schema);
  if (missing.empty()) return;
  reader.Fail("event", absl::StrCat("is \"", ToAbsl(ResultEventName(definition.result_event)),
                                    "\", so /result/properties must have ", ToAbsl(missing)));
}

void ReadExamples(std::string_view path, MemberReader& reader, ToolDefinition& definition) {
  const Json* list = reader.Require("examples", "an array of at least one example");
  if (list == nullptr) return;
  if (!list->is_array() || (list->empty() && !definition.internal)) {
    return reader.Fail("examples", "must be an array of at least one example");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string pointer = absl::StrCat("/examples/", i);
    MemberReader inner(path, pointer, (*list)[i]);
    inner.AllowOnly(std::array<std::string_view, 4>{"description", "setup", "arguments", "result"});
    Example example;
    example.description = inner.String("description");
    example.setup = Json::array();
    if (const Json* setup = inner.Find("setup"); setup != nullptr) {
      if (!setup->is_array()) inner.Fail("setup", "must be an array of calls");
      example.setup = *setup;
    }
    for (const auto& [name, target] : {std::pair{"arguments", &example.arguments}, {"result", &example.result}}) {
      const Json* value = inner.Require(name, "an object");
      if (value != nullptr && !value->is_object()) inner.Fail(name, "must be an object");
      if (value != nullptr) *target = *value;
    }
    reader.Fail(inner.status());
    definition.examples.push_back(std::move(example));
  }
}

}  // namespace

absl::StatusOr<ToolDefinition> ParseToolDefinition(std::string_view path, std::string_view text) {
  absl::StatusOr<Json> file = ParseJson(text);
  if (!file.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(path), ": ", file.status().message()));
  }
  MemberReader reader(path, "", *file);
  reader.AllowOnly(kMembers);
  ToolDefinition definition;
  definition.id = reader.String("id");
  if (!IsToolId(definition.id)) reader.Fail("id", "must be 1 to 64 of the characters A-Z a-z 0-9 _ - .");
  definition.display_name = reader.String("name");
  definition.description = reader.String("description");
  definition.category = reader.OneOf("category", kCategories);
  definition.module = reader.String("module");
  ReadExecutor(path, reader, definition);
  ReadPermissions(reader, definition);
  ReadModes(reader, definition);
  if (reader.Find("switch") != nullptr) definition.switch_name = reader.String("switch");
  definition.confirmation = reader.OneOf("confirmation", kConfirmationRules);
  ReadAnnotations(path, reader, definition);
  CheckExecutor(reader, definition);
  definition.timeout = reader.Duration("timeout", definition.timeout);
  ReadLimits(path, reader, definition);
  ReadSchema(reader, "arguments", definition.argument_schema);
  CloseObjects(definition.argument_schema);
  ReadSchema(reader, "result", definition.result_schema);
  ReadResultEvent(reader, definition);
  ReadExamples(path, reader, definition);
  RETURN_IF_ERROR(reader.status());
  return definition;
}

std::string_view CategoryName(Category category) {
  for (const auto& [name, value] : kCategories) {
    if (value == category) return name;
  }
  return "";
}

std::string_view ResultEventName(ResultEvent event) {
  for (const auto& [name, value] : kResultEvents) {
    if (value == event) return name;
  }
  return "";
}

}  // namespace toolgate::executors
