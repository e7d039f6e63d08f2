// Language models, whoever serves them.
#ifndef TOOLGATE_EXECUTORS_MODELS_CHAT_MODEL_H_
#define TOOLGATE_EXECUTORS_MODELS_CHAT_MODEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/providers/provider.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::executors::models {

// An image in a message or an answer.
struct Image {
  std::string media_type = {};  // "image/png".
  std::string bytes = {};       // Decoded. Empty where there is only a URL.
  std::string url = {};
};

// A tool call that a model asked for.
struct ToolUse {
  std::string id = {};    // The provider's. Made up where it gives none (Gemini).
  std::string name = {};  // As the provider knows the tool.
  // As the model wrote them, which need not be JSON; {} where it wrote none. Those of an answer that was stopped, as at
  // kLength and kRefusal, may be cut off; empty ones are.
  std::string arguments_json = {};
};

// The answer to a ToolUse.
struct ToolAnswer {
  std::string tool_use_id = {};
  std::string name = {};  // As the provider knows the tool.
  // In the form that ChatModel::result_format names, as Execute renders it. Another form, from a conversation that
  // another model began, goes to the model as text.
  std::string rendered = {};
  bool is_error = false;
};

enum class Role { kUser, kAssistant, kTool };

// One turn. Tool answers stand together in one message of kTool.
struct Message {
  Role role = Role::kUser;
  std::string text = {};
  std::string reasoning = {};
  std::vector<Image> images = {};
  std::vector<ToolUse> tool_uses = {};        // kAssistant.
  std::vector<ToolAnswer> tool_answers = {};  // kTool.
  // Parts that the provider wants back unchanged with a turn of its own: signatures of reasoning. JSON; opaque. Other
  // providers ignore it.
  std::string provider_state = {};
};

struct ModelRequest {
  std::string model = {};  // Empty: that of the provider's settings.
  std::string system = {};
  std::vector<Message> messages = {};
  std::string tools_json = {};  // Catalogue in the form that ChatModel::catalog_format names; empty: no tools.
  std::optional<int64_t> max_output_tokens;
  std::optional<double> temperature;
  bool reasoning = false;  // Ask for it, where the model can.
  // Merged into the request's body (RFC 7396), for members that one provider alone knows.
  Json extra = Json::object();
};

enum class StopReason { kEnd, kToolUse, kLength, kRefusal };

struct ModelAnswer {
  Message message;  // kAssistant.
  StopReason stop = StopReason::kEnd;
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
  std::string model;  // As the provider names it.
};

// Receives an answer as it comes. An error stops the request and is what Complete answers.
class DeltaSink {
 public:
  virtual ~DeltaSink() = default;
  virtual absl::Status Text(std::string_view piece) = 0;
  virtual absl::Status Reasoning(std::string_view piece) = 0;
};

// One model API. Thread-safe.
class ChatModel {
 public:
  virtual ~ChatModel() = default;

  virtual v1::CatalogFormat catalog_format() const = 0;
  virtual v1::ResultFormat result_format() const = 0;

  // Asks the model once. Streams when `sink` is set. Errors are those of Provider, NOT_CONFIGURED or INVALID_PARAMS for
  // a model without a name or with one that cannot be, and EXECUTION_ERROR for an answer that is no answer: malformed,
  // cut off, beyond its bounds, or without content.
  virtual absl::StatusOr<ModelAnswer> Complete(const ModelRequest& request, DeltaSink* sink,
                                               providers::Scope& scope) = 0;
};

enum class OpenAiDialect { kOpenAi, kGlm };  // GLM takes tool results as <tool_result> XML.

// Chat completions of OpenAI, which GLM, vLLM, OpenRouter and many others speak too. Base URLs end with the version, as
// in https://api.openai.com/v1 and https://api.z.ai/api/paas/v4; the key is a bearer token.
std::unique_ptr<ChatModel> OpenAiChatModel(std::shared_ptr<providers::Provider> provider, OpenAiDialect dialect);

// Messages API. The base URL is https://api.anthropic.com, the key goes into x-api-key.
std::unique_ptr<ChatModel> AnthropicModel(std::shared_ptr<providers::Provider> provider);

// generateContent and streamGenerateContent. The base URL is https://generativelanguage.googleapis.com, the key goes
// into x-goog-api-key.
std::unique_ptr<ChatModel> GeminiModel(std::shared_ptr<providers::Provider> provider);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_CHAT_MODEL_H_
