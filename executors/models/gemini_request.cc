#include "executors/models/gemini_request.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/models/answer_draft.h"
#include "executors/models/image_data.h"
#include "executors/models/request_json.h"
#include "executors/models/turn_layout.h"
#include "executors/models/wire_ids.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

constexpr std::string_view kModels = "models/";
constexpr size_t kMaxNameInPath = 128;

bool IsModelName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameInPath && absl::ascii_isalnum(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; });
}

Json ImageOf(const Image& image) {
  if (image.bytes.empty()) return {{"fileData", {{"fileUri", image.url}}}};
  return {{"inlineData", {{"mimeType", image.media_type}, {"data", ImageBase64(image)}}}};
}

Json FunctionCall(const ToolUse& use, const std::string& id) {
  Json call = Json::object();
  if (!use.id.starts_with(kMadeUpId)) call["id"] = id;
  call["name"] = use.name;
  call["args"] = ArgumentsObject(use);
  return {{"functionCall", std::move(call)}};
}

Json FunctionResponse(const ToolAnswer& answer, const std::string& id) {
  Json rendered = RenderedObject(answer);
  if (FindMember(rendered, "functionResponse") == nullptr) {
    rendered = {{"functionResponse", {{"name", answer.name}, {"response", {{"result", answer.rendered}}}}}};
  }
  Json& response = rendered["functionResponse"];
  if (answer.tool_use_id.starts_with(kMadeUpId)) {
    response.erase("id");
  } else {
    response["id"] = id;
  }
  return rendered;
}

Json UserParts(const Message& message) {
  Json parts = Json::array();
  if (!message.text.empty()) parts.push_back({{"text", message.text}});
  for (const Image& image : message.images) parts.push_back(ImageOf(image));
  return parts;
}

Json ModelParts(const Message& message, const std::vector<std::string>& ids) {
  Json parts = Json::array();
  size_t end_of_text = 0;
  for (const TurnPart& part : TurnLayout::Parts("gemini", message)) {
    Json json = Json::object();
    switch (part.kind) {
      case TurnPart::Kind::kText:
        json["text"] = std::string_view(message.text).substr(end_of_text, part.size);
        end_of_text += part.size;
        break;
      case TurnPart::Kind::kImage:
        json = ImageOf(message.images[part.index]);
        break;
      case TurnPart::Kind::kToolUse:
        json = FunctionCall(message.tool_uses[part.index], ids[part.index]);
        break;
      case TurnPart::Kind::kOpaque:
        break;
    }
    json.update(part.extra);
    parts.push_back(std::move(json));
  }
  return parts;
}

Json ToolParts(const Message& message, const std::vector<std::string>& ids) {
  Json parts = Json::array();
  for (size_t i = 0; i < message.tool_answers.size(); ++i) {
    parts.push_back(FunctionResponse(message.tool_answers[i], ids[i]));
  }
  return parts;
}

Json ContentsOf(const ModelRequest& request) {
  Json contents = Json::array();
  const WireIds ids(request.messages, IdForm::kAny);
  for (size_t i = 0; i < request.messages.size(); ++i) {
    const Message& message = request.messages[i];
    Json parts = message.role == Role::kUser   ? UserParts(message)
                 : message.role == Role::kTool ? ToolParts(message, ids.Of(i))
                                               : ModelParts(message, ids.Of(i));
    if (parts.empty()) continue;
    contents.push_back({{"role", message.role == Role::kAssistant ? "model" : "user"}, {"parts", std::move(parts)}});
  }
  return contents;
}

Json GenerationConfig(const ModelRequest& request) {
  Json config = Json::object();
  if (request.max_output_tokens.has_value()) config["maxOutputTokens"] = *request.max_output_tokens;
  if (request.temperature.has_value()) config["temperature"] = *request.temperature;
  if (request.reasoning) config["thinkingConfig"] = {{"includeThoughts", true}};
  return config;
}

}  // namespace

absl::StatusOr<std::string> GeminiPath(std::string_view model, bool stream) {
  const std::string_view name = model.starts_with(kModels) ? model.substr(kModels.size()) : model;
  if (!IsModelName(name)) {
    return MakeError(ErrorCode::kInvalidParams,
                     absl::StrCat("The name of a Gemini model has 1 to ", kMaxNameInPath,
                                  " letters, digits, dots, underscores and hyphens, a letter or digit first, as in "
                                  "gemini-2.5-flash; the one that is set or asked for has not."));
  }
  return absl::StrCat("/v1beta/models/", ToAbsl(name), stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

absl::StatusOr<Json> GeminiRequestBody(const ModelRequest& request) {
  ASSIGN_OR_RETURN(Json tools, ToolsJson(request.tools_json));
  Json body = Json::object();
  if (HasText(request.system)) body["systemInstruction"] = {{"parts", Json::array({{{"text", request.system}}})}};
  body["contents"] = ContentsOf(request);
  if (!ArrayMember(tools, "functionDeclarations").empty()) {
    body["tools"] = Json::array({std::move(tools)});
    body["toolConfig"] = {{"functionCallingConfig", {{"mode", "AUTO"}}}};
  }
  if (Json config = GenerationConfig(request); !config.empty()) body["generationConfig"] = std::move(config);
  return WithExtra(std::move(body), request.extra);
}

}  // namespace toolgate::executors::models
