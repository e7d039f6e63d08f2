#include "executors/models/request_json.h"

#include <utility>

#include "absl/status/status.h"
#include "executors/models/answer_bounds.h"

namespace toolgate::executors::models {
namespace {

Json ObjectOrNull(std::string_view text) {
  auto value = ParseJson(text, WireJsonLimits());
  if (!value.ok() || !value->is_object()) return nullptr;
  return *std::move(value);
}

}  // namespace

absl::StatusOr<Json> ToolsJson(std::string_view tools_json) {
  if (tools_json.empty()) return Json();
  auto tools = ParseJson(tools_json, WireJsonLimits());
  if (!tools.ok()) return absl::InternalError("ModelRequest::tools_json is no JSON");
  return tools;
}

Json ArgumentsObject(const ToolUse& use) {
  Json arguments = ObjectOrNull(use.arguments_json);
  return arguments.is_null() ? Json::object() : arguments;
}

Json RenderedObject(const ToolAnswer& answer) { return ObjectOrNull(answer.rendered); }

Json WithExtra(Json body, const Json& extra) {
  if (extra.is_object()) body.merge_patch(extra);
  return body;
}

bool HasText(std::string_view text) { return text.find_first_not_of(" \t\r\n") != std::string_view::npos; }

}  // namespace toolgate::executors::models
