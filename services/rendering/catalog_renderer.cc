#include "services/rendering/catalog_renderer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/text/words.h"
#include "common/tool_error.h"
#include "services/rendering/provider_names.h"
#include "services/rendering/strict_schema.h"

namespace toolgate::services::rendering {
namespace {

using executors::Tool;
using executors::ToolDefinition;

constexpr std::string_view kOwnPrefix = "x-toolgate-";
// Keywords whose value is data, not a schema.
constexpr std::array<std::string_view, 4> kDataKeywords = {"const", "default", "enum", "examples"};
// Keywords whose value maps names to schemas.
constexpr std::array<std::string_view, 5> kMapKeywords = {"$defs", "definitions", "dependentSchemas",
                                                          "patternProperties", "properties"};

// Replacement for "{{todo.blockId}}" where there is no such todo: "<id of todo>".
std::string Placeholder(std::string_view name, std::string_view path) {
  const std::string_view last = path.substr(path.rfind('.') + 1);
  return absl::StrCat("<", last.ends_with("Id") ? absl::string_view("id") : ToAbsl(last), " of ", ToAbsl(name), ">");
}

// `text` with a placeholder for each template that names a result of the example's setup, which is not shown. Other
// templates, such as those of an automation's steps, stay unchanged.
std::string WithPlaceholders(std::string_view text, const Json& setup) {
  std::string shown;
  size_t end = 0;
  for (size_t begin = text.find("{{"); begin != std::string_view::npos; begin = text.find("{{", end)) {
    const size_t close = text.find("}}", begin);
    if (close == std::string_view::npos) break;
    const std::string_view path =
        FromAbsl(absl::StripAsciiWhitespace(ToAbsl(text.substr(begin + 2, close - begin - 2))));
    const std::string_view name = path.substr(0, path.find('.'));
    const bool known = std::any_of(setup.begin(), setup.end(), [&](const Json& step) {
      return step.contains("as") && step["as"].get_ref<const std::string&>() == name;
    });
    shown += text.substr(end, begin - end);
    shown += known ? Placeholder(name, path) : text.substr(begin, close + 2 - begin);
    end = close + 2;
  }
  return shown += text.substr(end);
}

Json WithPlaceholders(const Json& value, const Json& setup) {
  if (value.is_string()) return WithPlaceholders(std::string_view(value.get_ref<const std::string&>()), setup);
  if (!value.is_structured()) return value;
  Json shown = value;
  for (Json& member : shown) member = WithPlaceholders(member, setup);
  return shown;
}

Json PublicSchemaMap(const Json& map) {
  if (!map.is_object()) return map;
  Json out = Json::object();
  for (const auto& [name, schema] : map.items()) out[name] = PublicSchema(schema);
  return out;
}

Json GlmTool(const ToolDefinition& tool) {
  return {{"type", "function"},
          {"function",
           {{"name", ProviderName(Provider::kGlm, tool.id)},
            {"description", tool.description},
            {"parameters", PublicSchema(tool.argument_schema)}}}};
}

// A function as OpenAI's forms have it. "strict" is always written, since the Responses API takes its absence for true.
Json OpenAiFunction(const ToolDefinition& tool) {
  Json schema = PublicSchema(tool.argument_schema);
  std::optional<StrictSchema> strict = MakeStrict(schema, StrictDialect::kOpenAi);
  return {{"name", ProviderName(Provider::kOpenAi, tool.id)},
          {"description", tool.description},
          {"parameters", strict.has_value() ? std::move(strict->schema) : std::move(schema)},
          {"strict", strict.has_value()}};
}

Json OpenAiChatTool(const ToolDefinition& tool) { return {{"type", "function"}, {"function", OpenAiFunction(tool)}}; }

Json OpenAiResponsesTool(const ToolDefinition& tool) {
  Json out = {{"type", "function"}};
  out.update(OpenAiFunction(tool));
  return out;
}

// Anthropic's bounds for all strict tools of one request together.
struct StrictBudget {
  int tools = 20;
  int optional_properties = 24;
  int unions = 16;

  bool Take(const StrictSchema& schema) {
    if (tools == 0 || schema.optional_properties > optional_properties || schema.unions > unions) return false;
    --tools;
    optional_properties -= schema.optional_properties;
    unions -= schema.unions;
    return true;
  }
};

Json AnthropicTool(const ToolDefinition& tool, StrictBudget& budget) {
  Json out = {{"name", ProviderName(Provider::kAnthropic, tool.id)}, {"description", tool.description}};
  Json schema = PublicSchema(tool.argument_schema);
  std::optional<StrictSchema> strict = MakeStrict(schema, StrictDialect::kAnthropic);
  const bool is_strict = strict.has_value() && budget.Take(*strict);
  out["input_schema"] = is_strict ? std::move(strict->schema) : std::move(schema);
  if (is_strict) out["strict"] = true;
  return out;
}

Json GeminiTool(const ToolDefinition& tool) {
  return {{"name", ProviderName(Provider::kGemini, tool.id)},
          {"description", tool.description},
          {"parametersJsonSchema", PublicSchema(tool.argument_schema)}};
}

bool DescribesAnObject(const Json& schema) {
  const auto type = schema.is_object() ? schema.find("type") : schema.end();
  return schema.is_object() && type != schema.end() && *type == "object";
}

Json McpTool(const ToolDefinition& tool) {
  Json out = {{"name", ProviderName(Provider::kMcp, tool.id)},
              {"title", tool.display_name},
              {"description", tool.description},
              {"inputSchema", PublicSchema(tool.argument_schema)}};
  // MCP allows structured content only as an object.
  if (DescribesAnObject(tool.result_schema)) out["outputSchema"] = PublicSchema(tool.result_schema);
  out["annotations"] = {{"title", tool.display_name},
                        {"readOnlyHint", tool.annotations.read_only},
                        {"destructiveHint", tool.annotations.destructive},
                        {"idempotentHint", tool.annotations.idempotent},
                        {"openWorldHint", tool.annotations.open_world}};
  return out;
}

Json RenderTool(const ToolDefinition& tool, v1::CatalogFormat format, StrictBudget& budget) {
  switch (format) {
    case v1::CATALOG_FORMAT_OPENAI:
      return OpenAiChatTool(tool);
    case v1::CATALOG_FORMAT_OPENAI_RESPONSES:
      return OpenAiResponsesTool(tool);
    case v1::CATALOG_FORMAT_GLM:
      return GlmTool(tool);
    case v1::CATALOG_FORMAT_ANTHROPIC:
      return AnthropicTool(tool, budget);
    case v1::CATALOG_FORMAT_GEMINI:
      return GeminiTool(tool);
    default:
      return McpTool(tool);
  }
}

v1::ConfirmationRule ToProto(executors::ConfirmationRule rule) {
  switch (rule) {
    case executors::ConfirmationRule::kNever:
      return v1::CONFIRMATION_RULE_NEVER;
    case executors::ConfirmationRule::kAlways:
      return v1::CONFIRMATION_RULE_ALWAYS;
    case executors::ConfirmationRule::kConditional:
      return v1::CONFIRMATION_RULE_CONDITIONAL;
  }
  return v1::CONFIRMATION_RULE_UNSPECIFIED;
}

const char* AudienceName(executors::Audience audience) {
  switch (audience) {
    case executors::Audience::kUser:
      return "user";
    case executors::Audience::kGuest:
      return "guest";
    case executors::Audience::kAny:
      break;
  }
  return "any";
}

void SetAnnotations(const executors::Annotations& annotations, v1::ToolAnnotations* out) {
  out->set_read_only(annotations.read_only);
  out->set_destructive(annotations.destructive);
  out->set_idempotent(annotations.idempotent);
  out->set_open_world(annotations.open_world);
  out->set_reversible(annotations.reversible);
  out->set_remembered(annotations.remembered);
}

}  // namespace

Json PublicSchema(const Json& schema) {
  if (schema.is_array()) {  // Of schemas: allOf, prefixItems …
    Json out = Json::array();
    for (const Json& element : schema) out.push_back(PublicSchema(element));
    return out;
  }
  if (!schema.is_object()) return schema;
  Json out = Json::object();
  for (const auto& [keyword, value] : schema.items()) {
    if (std::string_view(keyword).substr(0, kOwnPrefix.size()) == kOwnPrefix) continue;
    if (text::IsOneOf(keyword, kDataKeywords)) {
      out[keyword] = value;
    } else {
      out[keyword] = text::IsOneOf(keyword, kMapKeywords) ? PublicSchemaMap(value) : PublicSchema(value);
    }
  }
  return out;
}

v1::ToolCategory CategoryOf(const Tool& tool) {
  switch (tool.definition.category) {
    case executors::Category::kRead:
      return v1::TOOL_CATEGORY_READ;
    case executors::Category::kCreate:
      return v1::TOOL_CATEGORY_CREATE;
    case executors::Category::kUpdate:
      return v1::TOOL_CATEGORY_UPDATE;
    case executors::Category::kDelete:
      return v1::TOOL_CATEGORY_DELETE;
    case executors::Category::kExecute:
      return v1::TOOL_CATEGORY_EXECUTE;
  }
  return v1::TOOL_CATEGORY_UNSPECIFIED;
}

v1::Tool ToProto(const Tool& tool) {
  const ToolDefinition& definition = tool.definition;
  v1::Tool out;
  out.set_id(definition.id);
  out.set_display_name(definition.display_name);
  out.set_description(definition.description);
  out.set_category(CategoryOf(tool));
  out.set_module(definition.module);
  out.set_argument_schema_json(DumpJson(PublicSchema(definition.argument_schema)));
  out.set_result_schema_json(DumpJson(PublicSchema(definition.result_schema)));
  for (const std::string& permission : definition.permissions) out.add_required_permissions(permission);
  out.set_confirmation(ToProto(definition.confirmation));
  for (const executors::RateLimit& limit : definition.limits) {
    v1::RateLimit* row = out.add_limits();
    row->set_max_calls(limit.max_calls);
    SetProtoDuration(limit.window, *row->mutable_window());
    row->set_audience(AudienceName(limit.audience));
  }
  SetProtoDuration(definition.timeout, *out.mutable_timeout());
  for (const executors::Example& example : definition.examples) {
    v1::ToolExample* row = out.add_examples();
    row->set_description(example.description);
    row->set_arguments_json(DumpJson(WithPlaceholders(example.arguments, example.setup)));
    row->set_result_json(DumpJson(WithPlaceholders(example.result, example.setup)));
  }
  SetAnnotations(definition.annotations, out.mutable_annotations());
  return out;
}

absl::StatusOr<std::string> RenderCatalog(const std::vector<const Tool*>& tools, v1::CatalogFormat format) {
  if (format == v1::CATALOG_FORMAT_UNSPECIFIED) return std::string();
  if (!v1::CatalogFormat_IsValid(format)) {
    return MakeError(ErrorCode::kInvalidParams, "format names no form that tools can be rendered in");
  }
  Json rendered = Json::array();
  StrictBudget budget;
  for (const Tool* tool : tools) rendered.push_back(RenderTool(tool->definition, format, budget));
  if (format == v1::CATALOG_FORMAT_GEMINI) return DumpJson(Json{{"functionDeclarations", std::move(rendered)}});
  return DumpJson(rendered);
}

}  // namespace toolgate::services::rendering
