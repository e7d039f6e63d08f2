#include "executors/models/anthropic_request.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "common/status_macros.h"
#include "executors/models/image_data.h"
#include "executors/models/request_json.h"
#include "executors/models/turn_layout.h"
#include "executors/models/wire_ids.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

constexpr int64_t kDefaultMaxTokens = 8192;
constexpr int64_t kMinThinkingTokens = 1024;

// Names from turns with another provider may have characters that this API refuses.
std::string SafeName(std::string_view name) {
  std::string safe(name);
  for (char& c : safe) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  }
  return safe;
}

Json TextBlock(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

Json ImageBlock(const Image& image) {
  if (image.bytes.empty()) return {{"type", "image"}, {"source", {{"type", "url"}, {"url", image.url}}}};
  return {
      {"type", "image"},
      {"source", {{"type", "base64"}, {"media_type", image.media_type}, {"data", ImageBase64(image)}}},
  };
}

Json ToolUseBlock(const ToolUse& use, const std::string& id) {
  return {{"type", "tool_use"}, {"id", id}, {"name", SafeName(use.name)}, {"input", ArgumentsObject(use)}};
}

Json ToolResultBlock(const ToolAnswer& answer, const std::string& id) {
  Json block = RenderedObject(answer);
  if (TextMember(block, "type") != "tool_result") {
    block = {{"type", "tool_result"}, {"content", answer.rendered}, {"is_error", answer.is_error}};
  }
  block["tool_use_id"] = id;
  return block;
}

Json UserContent(const Message& message) {
  Json content = Json::array();
  for (const Image& image : message.images) content.push_back(ImageBlock(image));
  if (HasText(message.text)) content.push_back(TextBlock(message.text));
  return content;
}

Json AssistantContent(const Message& message, const std::vector<std::string>& ids) {
  Json content = Json::array();
  size_t end_of_text = 0;
  for (const TurnPart& part : TurnLayout::Parts("anthropic", message)) {
    switch (part.kind) {
      case TurnPart::Kind::kText: {
        const std::string_view text = std::string_view(message.text).substr(end_of_text, part.size);
        end_of_text += part.size;
        if (HasText(text)) content.push_back(TextBlock(text));
        break;
      }
      case TurnPart::Kind::kImage:  // The API takes images from users alone, and its models make none.
        break;
      case TurnPart::Kind::kToolUse:
        content.push_back(ToolUseBlock(message.tool_uses[part.index], ids[part.index]));
        break;
      case TurnPart::Kind::kOpaque:
        content.push_back(part.extra);
        break;
    }
  }
  return content;
}

Json ToolContent(const Message& message, const std::vector<std::string>& ids) {
  Json content = Json::array();
  for (size_t i = 0; i < message.tool_answers.size(); ++i) {
    content.push_back(ToolResultBlock(message.tool_answers[i], ids[i]));
  }
  return content;
}

Json AnthropicMessages(const ModelRequest& request) {
  Json messages = Json::array();
  const WireIds ids(request.messages, IdForm::kAnthropic);
  for (size_t i = 0; i < request.messages.size(); ++i) {
    const Message& message = request.messages[i];
    Json content = message.role == Role::kUser   ? UserContent(message)
                   : message.role == Role::kTool ? ToolContent(message, ids.Of(i))
                                                 : AssistantContent(message, ids.Of(i));
    // A message without content is refused.
    if (content.empty()) continue;
    messages.push_back(
        {{"role", message.role == Role::kAssistant ? "assistant" : "user"}, {"content", std::move(content)}});
  }
  return messages;
}

// Whether the model's last turn allows reasoning now: it made no calls, or began with reasoning itself.
bool LastTurnAllowsThinking(const ModelRequest& request) {
  const auto last = std::find_if(request.messages.rbegin(), request.messages.rend(),
                                 [](const Message& message) { return message.role == Role::kAssistant; });
  if (last == request.messages.rend() || last->tool_uses.empty()) return true;
  const std::vector<TurnPart> parts = TurnLayout::Parts("anthropic", *last);
  if (parts.empty() || parts.front().kind != TurnPart::Kind::kOpaque) return false;
  const std::string_view type = TextMember(parts.front().extra, "type");
  return type == "thinking" || type == "redacted_thinking";
}

void AddSampling(const ModelRequest& request, Json& body) {
  const int64_t max_tokens =
      request.max_output_tokens.value_or(request.reasoning ? 2 * kDefaultMaxTokens : kDefaultMaxTokens);
  body["max_tokens"] = max_tokens;
  if (request.reasoning && max_tokens > kMinThinkingTokens && LastTurnAllowsThinking(request)) {
    body["thinking"] = {{"type", "enabled"}, {"budget_tokens", std::max(kMinThinkingTokens, max_tokens / 2)}};
  } else if (request.temperature.has_value()) {
    body["temperature"] = *request.temperature;
  }
}

}  // namespace

absl::StatusOr<Json> AnthropicRequestBody(const ModelRequest& request, std::string_view model, bool stream) {
  ASSIGN_OR_RETURN(Json tools, ToolsJson(request.tools_json));
  Json body = {{"model", model}};
  AddSampling(request, body);
  if (HasText(request.system)) body["system"] = request.system;
  body["messages"] = AnthropicMessages(request);
  if (!tools.empty()) body["tools"] = std::move(tools);
  body = WithExtra(std::move(body), request.extra);
  body["stream"] = stream;
  return body;
}

}  // namespace toolgate::executors::models
