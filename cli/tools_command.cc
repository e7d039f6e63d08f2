#include "cli/tools_command.h"

#include <grpcpp/client_context.h>

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/api_json.h"
#include "cli/printable.h"
#include "cli/table.h"
#include "common/absl_bridge.h"
#include "common/text/edit_distance.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

constexpr std::array<std::pair<std::string_view, v1::CatalogFormat>, 7> kFormats = {{
    {"native", v1::CATALOG_FORMAT_UNSPECIFIED},
    {"openai", v1::CATALOG_FORMAT_OPENAI},
    {"openai-responses", v1::CATALOG_FORMAT_OPENAI_RESPONSES},
    {"anthropic", v1::CATALOG_FORMAT_ANTHROPIC},
    {"gemini", v1::CATALOG_FORMAT_GEMINI},
    {"glm", v1::CATALOG_FORMAT_GLM},
    {"mcp", v1::CATALOG_FORMAT_MCP},
}};

const std::vector<std::string> kCategories = {"read", "create", "update", "delete", "execute"};

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const auto& [name, format] : kFormats) names.emplace_back(name);
  return names;
}

v1::CatalogFormat FormatFor(std::string_view wanted) {
  for (const auto& [name, format] : kFormats) {
    if (name == wanted) return format;
  }
  return v1::CATALOG_FORMAT_UNSPECIFIED;
}

v1::ToolCategory CategoryFor(const std::string& name) {
  v1::ToolCategory category = v1::TOOL_CATEGORY_UNSPECIFIED;
  v1::ToolCategory_Parse(absl::StrCat("TOOL_CATEGORY_", absl::AsciiStrToUpper(name)), &category);
  return category;
}

// Appends a page's rendering to that of the earlier pages: arrays by element, objects by member.
void JoinRendering(Json page, Json& all) {
  if (all.is_null()) {
    all = std::move(page);
  } else if (all.is_array() && page.is_array()) {
    for (Json& item : page) all.push_back(std::move(item));
  } else if (all.is_object() && page.is_object()) {
    for (auto& [key, value] : page.items()) {
      if (all.contains(key) && (all[key].is_array() || all[key].is_object())) {
        JoinRendering(value, all[key]);
      } else {
        all[key] = value;
      }
    }
  }
}

// Fetches all pages and joins them into one response.
grpc::Status FetchAll(const Connection& connection, v1::ListToolsRequest request, v1::ListToolsResponse& all) {
  const auto stub = v1::ToolService::NewStub(connection.channel());
  Json rendering;
  do {
    grpc::ClientContext context;
    connection.Prepare(Connection::Patience::kUnary, context);
    v1::ListToolsResponse page;
    if (grpc::Status status = stub->ListTools(&context, request, &page); !status.ok()) return status;
    if (!page.rendered_json().empty()) JoinRendering(EmbeddedJson(page.rendered_json()), rendering);
    request.set_page_token(page.next_page_token());
    all.MergeFrom(page);
  } while (!request.page_token().empty());
  if (!rendering.is_null()) all.set_rendered_json(PrintableJson(rendering));
  return grpc::Status::OK;
}

std::string FirstSentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string TypeOf(const Json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end()) return "any";
  if (type->is_string()) return type->get<std::string>();
  std::vector<std::string> names;
  for (const Json& name : *type) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return absl::StrJoin(names, "|");
}

std::string Explanation(const Json& schema) {
  std::string text;
  if (const auto found = schema.find("description"); found != schema.end() && found->is_string()) {
    text = found->get<std::string>();
  }
  if (const auto choices = schema.find("enum"); choices != schema.end()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "One of ", DumpJson(*choices), ".");
  }
  if (const auto value = schema.find("default"); value != schema.end()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "Default ", DumpJson(*value), ".");
  }
  return text;
}

std::string ArgumentTable(const Json& schema, const Terminal& terminal) {
  Table table({"ARGUMENT", "TYPE", "REQUIRED", "MEANING"});
  if (!schema.is_object() || !schema.contains("properties") || !schema["properties"].is_object()) return "";
  const Json required = schema.value("required", Json::array());
  for (const auto& [name, property] : schema["properties"].items()) {
    bool needed = false;
    for (const Json& one : required) needed = needed || one == name;
    if (property.is_object()) table.AddRow({name, TypeOf(property), needed ? "yes" : "", Explanation(property)});
  }
  return table.empty() ? "The tool has no arguments.\n" : table.Render(terminal);
}

// Quotes `text` for a POSIX shell.
std::string ShellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

CommandInfo ToolsCommand::Info() const {
  return {.name = "tools",
          .purpose = "list the tools that you may use",
          .details =
              "With TOOL: shows that tool's arguments and examples. With --format: prints the catalogue in a model\n"
              "provider's format, ready to be sent with a request.",
          .examples = {{"toolgate tools", "prints one line for each tool"},
                       {"toolgate tools create_task", "shows the arguments of create_task, with example calls"},
                       {"toolgate tools --format openai > tools.json", "the catalogue for an OpenAI chat request"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

void ToolsCommand::Declare(FlagSet& flags) {
  flags.Argument("TOOL", &tool_, "show this tool in detail", false);
  flags.Value("--format", "FORMAT", &format_, "format of the catalogue").choices = FormatNames();
  flags.Value("--module", "NAME", &modules_, "only tools of this module; may be repeated");
  flags.Value("--category", "NAME", &categories_, "only tools of this category; may be repeated").choices = kCategories;
}

ExitCode ToolsCommand::Run(Session& session) {
  v1::ListToolsRequest request;
  *request.mutable_caller() = session.connection().caller();
  for (const std::string& module : modules_) request.add_modules(module);
  for (const std::string& category : categories_) request.add_categories(CategoryFor(category));
  request.set_format(FormatFor(format_));
  v1::ListToolsResponse catalog;
  if (const grpc::Status status = FetchAll(session.connection(), request, catalog); !status.ok()) {
    return session.Fail(status);
  }
  if (request.format() != v1::CATALOG_FORMAT_UNSPECIFIED) {
    const Json rendering = EmbeddedJson(catalog.rendered_json());
    session.Print(absl::StrCat(PrintableJson(rendering, session.json() ? -1 : 2), "\n"));
    return ExitCode::kOk;
  }
  return tool_.empty() ? ShowAll(catalog, session) : ShowOne(catalog, session);
}

ExitCode ToolsCommand::ShowAll(const v1::ListToolsResponse& catalog, const Session& session) const {
  if (session.json()) {
    Json tools = Json::array();
    for (const v1::Tool& tool : catalog.tools()) tools.push_back(ToJson(tool));
    session.PrintJson({{"tools", std::move(tools)}, {"catalogVersion", catalog.catalog_version()}});
    return ExitCode::kOk;
  }
  Table table({"TOOL", "CATEGORY", "APPROVAL", "DESCRIPTION"});
  for (const v1::Tool& tool : catalog.tools()) {
    table.AddRow(
        {tool.id(), CategoryName(tool.category()), RuleName(tool.confirmation()), FirstSentence(tool.description())});
  }
  session.Print(table.empty() ? "no tools for this user\n" : table.Render(session.terminal()));
  return ExitCode::kOk;
}

ExitCode ToolsCommand::ShowOne(const v1::ListToolsResponse& catalog, const Session& session) const {
  std::vector<std::string> names;
  const v1::Tool* found = nullptr;
  for (const v1::Tool& tool : catalog.tools()) {
    names.push_back(tool.id());
    if (tool.id() == tool_) found = &tool;
  }
  if (found == nullptr) {
    const std::string_view nearest = text::NearestName(tool_, {names.begin(), names.end()});
    return session.Fail(
        ExitCode::kUsage, absl::StrCat("unknown tool ", tool_),
        nearest.empty() ? "`toolgate tools` lists them" : absl::StrCat("did you mean ", ToAbsl(nearest), "?"));
  }
  if (session.json()) {
    session.PrintJson(ToJson(*found));
    return ExitCode::kOk;
  }
  const bool colour = session.terminal().colour_out();
  std::string text =
      absl::StrCat(Paint(PrintableLine(found->id()), Style::kBold, colour), "  (", CategoryName(found->category()),
                   ", approval: ", RuleName(found->confirmation()), ")\n", PrintableText(found->description()), "\n\n",
                   ArgumentTable(EmbeddedJson(found->argument_schema_json()), session.terminal()));
  for (const v1::ToolExample& example : found->examples()) {
    absl::StrAppend(&text, "\n", PrintableLine(example.description()), "\n  toolgate call ", PrintableLine(found->id()),
                    " ", PrintableLine(ShellQuoted(example.arguments_json())), "\n");
  }
  session.Print(text);
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
