// Requests of Anthropic's Messages API.
#ifndef TOOLGATE_EXECUTORS_MODELS_ANTHROPIC_REQUEST_H_
#define TOOLGATE_EXECUTORS_MODELS_ANTHROPIC_REQUEST_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// The body of POST /v1/messages, asked of `model`. INTERNAL for a catalogue that is no JSON.
//
// The API demands max_tokens: 8192 unless the request says otherwise, and twice that with reasoning, which gets half of
// it. Reasoning is left out where the API would refuse it: when max_tokens leaves no room for its least budget of 1024,
// or when the turn whose calls are answered began without it. The API takes no temperature together with it.
absl::StatusOr<Json> AnthropicRequestBody(const ModelRequest& request, std::string_view model, bool stream);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_ANTHROPIC_REQUEST_H_
