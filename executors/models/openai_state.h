// Members of a turn that services of the chat completions API want back unchanged.
#ifndef TOOLGATE_EXECUTORS_MODELS_OPENAI_STATE_H_
#define TOOLGATE_EXECUTORS_MODELS_OPENAI_STATE_H_

#include <string>

#include "common/json.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// OpenAI itself wants nothing back. Kept in Message::provider_state.
struct OpenAiState {
  // Member of the message in which the reasoning came: "reasoning_content" (GLM, DeepSeek), "reasoning" (OpenRouter,
  // vLLM), or empty.
  std::string reasoning_member;
  Json reasoning_details = Json::array();  // OpenRouter: signatures and encrypted reasoning.
  Json call_extras = Json::object();       // Gemini behind this API: extra_content of tool calls, by id.

  // Empty text if there is nothing to keep.
  std::string Text() const;
  // Empty for a message of another provider.
  static OpenAiState Of(const Message& message);
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_OPENAI_STATE_H_
