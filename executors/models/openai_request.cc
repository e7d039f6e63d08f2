#include "executors/models/openai_request.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/image_data.h"
#include "executors/models/openai_state.h"
#include "executors/models/request_json.h"
#include "executors/models/wire_ids.h"

namespace toolgate::executors::models {
namespace {

constexpr char kReasoningContent[] = "reasoning_content";

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

Json CallsOf(const Message& message, const OpenAiState& state, const std::vector<std::string>& ids) {
  Json calls = Json::array();
  for (size_t i = 0; i < message.tool_uses.size(); ++i) {
    const ToolUse& use = message.tool_uses[i];
    Json call = {
        {"id", ids[i]}, {"type", "function"}, {"function", {{"name", use.name}, {"arguments", ArgumentsText(use)}}}};
    if (const auto extra = state.call_extras.find(use.id); extra != state.call_extras.end()) {
      call["extra_content"] = *extra;
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

// The messages of a request as far as their reasoning goes back.
struct KeptReasoning {
  std::vector<OpenAiState> states;       // By message.
  std::vector<bool> in_turn_with_calls;  // By message.
  // Whether each answer in a turn with calls must have reasoning_content, an empty one if need be.
  bool required = false;
};

// DeepSeek and Kimi refuse a conversation where it is missing, also from an answer of another model, or one without
// reasoning. Other services may refuse a member that they do not know, hence the names.
bool NeedsReasoning(std::string_view model) {
  model.remove_prefix(std::min(model.rfind('/') + 1, model.size()));
  const absl::string_view name = ToAbsl(model);
  for (const char* begin : {"deepseek-v", "deepseek-chat", "deepseek-reasoner", "kimi-k2.", "kimi-k2-thinking"}) {
    if (absl::StartsWithIgnoreCase(name, begin)) return true;
  }
  return false;
}

KeptReasoning ReasoningOf(const std::vector<Message>& messages, std::string_view model) {
  KeptReasoning kept;
  kept.required = NeedsReasoning(model);
  for (const Message& message : messages) {
    kept.states.push_back(OpenAiState::Of(message));
    kept.required = kept.required || kept.states.back().reasoning_member == kReasoningContent;
  }
  const auto is_user = [](const Message& message) { return message.role == Role::kUser; };
  const auto has_calls = [](const Message& message) { return !message.tool_uses.empty(); };
  for (auto begin = messages.begin(); begin != messages.end();) {
    const auto end = std::find_if(begin + 1, messages.end(), is_user);
    kept.in_turn_with_calls.insert(kept.in_turn_with_calls.end(), static_cast<size_t>(end - begin),
                                   std::any_of(begin, end, has_calls));
    begin = end;
  }
  return kept;
}

// Models that think between their calls go on from there, and DeepSeek refuses a conversation that lacks the reasoning
// of a turn with calls, its final answer's as well. In turns without calls the services drop it, or refuse it.
void AddReasoning(const Message& message, const OpenAiState& state, bool required, Json& out) {
  if (!state.reasoning_member.empty()) {
    out[state.reasoning_member] = message.reasoning;
  } else if (required) {
    out[kReasoningContent] = "";
  }
}

Json AssistantMessage(const Message& message, const KeptReasoning& kept, size_t index,
                      const std::vector<std::string>& ids) {
  const OpenAiState& state = kept.states[index];
  Json out = {{"role", "assistant"}, {"content", message.text}};
  // OpenRouter's form, in which they came; a service of another kind never makes any.
  for (const Image& image : message.images) out["images"].push_back(ImagePart(image));
  if (!state.reasoning_details.empty()) out["reasoning_details"] = state.reasoning_details;
  if (kept.in_turn_with_calls[index]) AddReasoning(message, state, kept.required, out);
  if (message.tool_uses.empty()) return out;
  if (message.text.empty()) out["content"] = nullptr;
  out["tool_calls"] = CallsOf(message, state, ids);
  return out;
}

// <tool_result> elements begin with the id that the call had where they were rendered.
std::string WithId(const ToolAnswer& answer, const std::string& id) {
  const std::string other = absl::StrCat("<tool_call_id>", answer.tool_use_id, "</tool_call_id>");
  const size_t place = id == answer.tool_use_id ? std::string::npos : answer.rendered.find(other);
  std::string rendered = answer.rendered;
  if (place != std::string::npos) {
    rendered.replace(place, other.size(), absl::StrCat("<tool_call_id>", id, "</tool_call_id>"));
  }
  return rendered;
}

Json ToolMessage(const ToolAnswer& answer, OpenAiDialect dialect, const std::string& id) {
  Json rendered = dialect == OpenAiDialect::kOpenAi ? RenderedObject(answer) : Json();
  if (!rendered.is_object() || !rendered.contains("content")) rendered = {{"content", WithId(answer, id)}};
  return {{"role", "tool"}, {"tool_call_id", id}, {"content", std::move(rendered["content"])}};
}

Json ChatMessages(const ModelRequest& request, std::string_view model, OpenAiDialect dialect) {
  Json messages = Json::array();
  if (HasText(request.system)) messages.push_back({{"role", "system"}, {"content", request.system}});
  const WireIds ids(request.messages, IdFormOf(model));
  const KeptReasoning kept = ReasoningOf(request.messages, model);
  for (size_t i = 0; i < request.messages.size(); ++i) {
    const Message& message = request.messages[i];
    if (message.role == Role::kUser) messages.push_back(UserMessage(message));
    if (message.role == Role::kAssistant) messages.push_back(AssistantMessage(message, kept, i, ids.Of(i)));
    if (message.role != Role::kTool) continue;
    for (size_t j = 0; j < message.tool_answers.size(); ++j) {
      messages.push_back(ToolMessage(message.tool_answers[j], dialect, ids.Of(i)[j]));
    }
  }
  return messages;
}

}  // namespace

absl::StatusOr<Json> OpenAiRequestBody(const ModelRequest& request, std::string_view model, OpenAiDialect dialect,
                                       bool stream) {
  ASSIGN_OR_RETURN(Json tools, ToolsJson(request.tools_json));
  const bool glm = dialect == OpenAiDialect::kGlm;
  Json body = {{"model", model}, {"messages", ChatMessages(request, model, dialect)}};
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
