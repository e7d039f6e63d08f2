#include "executors/models/openai_request.h"

#include <string>
#include <utility>

#include "common/status_macros.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/image_data.h"
#include "executors/models/openai_state.h"
#include "executors/models/request_json.h"

namespace toolgate::executors::models {
namespace {

Json ImagePart(const Image& image) { return {{"type", "image_url"}, {"image_url", {{"url", ImageUrl(image)}}}}; }

Json UserMessage(const Message& message) {
  if (message.images.empty()) return {{"role", "user"}, {"content", message.text}};
  Json content = Json::array();
  if (HasText(message.text)) content.push_back({{"type", "text"}, {"text", message.text}});
  for (const Image& image : message.images) content.push_back(ImagePart(image));
  return {{"role", "user"}, {"content", std::move(content)}};
}

// The model's own text, unless a server that reads it would fail.
std::string ArgumentsText(const ToolUse& use) {
  const Json arguments = ArgumentsObject(use);
  return arguments.empty() ? "{}" : use.arguments_json;
}

Json CallsOf(const Message& message, const OpenAiState& state) {
  Json calls = Json::array();
  for (const ToolUse& use : message.tool_uses) {
    Json call = {
        {"id", use.id}, {"type", "function"}, {"function", {{"name", use.name}, {"arguments", ArgumentsText(use)}}}};
    if (const auto extra = state.call_extras.find(use.id); extra != state.call_extras.end()) {
      call["extra_content"] = *extra;
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

Json AssistantMessage(const Message& message) {
  const OpenAiState state = OpenAiState::Of(message);
  Json out = {{"role", "assistant"}, {"content", message.text}};
  // OpenRouter's form, in which they came; a service of another kind never makes any.
  for (const Image& image : message.images) out["images"].push_back(ImagePart(image));
  if (!state.reasoning_details.empty()) out["reasoning_details"] = state.reasoning_details;
  if (message.tool_uses.empty()) return out;
  if (message.text.empty()) out["content"] = nullptr;
  // Models that think between their calls go on from there. Without calls the services drop it, or refuse it.
  if (!state.reasoning_member.empty()) out[state.reasoning_member] = message.reasoning;
  out["tool_calls"] = CallsOf(message, state);
  return out;
}

Json ToolMessage(const ToolAnswer& answer, OpenAiDialect dialect) {
  Json rendered = dialect == OpenAiDialect::kOpenAi ? RenderedObject(answer) : Json();
  if (!rendered.is_object() || !rendered.contains("content")) rendered = {{"content", answer.rendered}};
  return {{"role", "tool"}, {"tool_call_id", answer.tool_use_id}, {"content", std::move(rendered["content"])}};
}

void AppendMessage(const Message& message, OpenAiDialect dialect, Json& out) {
  switch (message.role) {
    case Role::kUser:
      out.push_back(UserMessage(message));
      return;
    case Role::kAssistant:
      out.push_back(AssistantMessage(message));
      return;
    case Role::kTool:
      for (const ToolAnswer& answer : message.tool_answers) out.push_back(ToolMessage(answer, dialect));
      return;
  }
}

Json ChatMessages(const ModelRequest& request, OpenAiDialect dialect) {
  Json messages = Json::array();
  if (HasText(request.system)) messages.push_back({{"role", "system"}, {"content", request.system}});
  for (const Message& message : request.messages) AppendMessage(message, dialect, messages);
  return messages;
}

}  // namespace

absl::StatusOr<Json> OpenAiRequestBody(const ModelRequest& request, std::string_view model, OpenAiDialect dialect,
                                       bool stream) {
  ASSIGN_OR_RETURN(Json tools, ToolsJson(request.tools_json));
  const bool glm = dialect == OpenAiDialect::kGlm;
  Json body = {{"model", model}, {"messages", ChatMessages(request, dialect)}};
  if (!tools.empty()) body["tools"] = std::move(tools);
  if (request.max_output_tokens.has_value()) {
    body[glm ? "max_tokens" : "max_completion_tokens"] = *request.max_output_tokens;
  }
  if (request.temperature.has_value()) body["temperature"] = *request.temperature;
  if (glm) body["thinking"] = {{"type", request.reasoning ? "enabled" : "disabled"}};
  // GLM counts tokens in every stream, and does not list the option.
  if (stream && !glm) body["stream_options"] = {{"include_usage", true}};
  body = WithExtra(std::move(body), request.extra);
  body["stream"] = stream;
  return body;
}

}  // namespace toolgate::executors::models
