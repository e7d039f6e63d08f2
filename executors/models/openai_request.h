// Requests of the chat completions API.
#ifndef TOOLGATE_EXECUTORS_MODELS_OPENAI_REQUEST_H_
#define TOOLGATE_EXECUTORS_MODELS_OPENAI_REQUEST_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// The body of POST /chat/completions. `request.model` is not looked at: `model` is what is asked. INTERNAL for a
// catalogue that is no JSON.
//
// Tool answers are messages of role "tool" in both dialects. In that of GLM their content is the <tool_result> element:
// the API demands that such a message follows each call of an assistant's turn, and a message of the user in its place
// would be refused, or taken for words of the user.
//
// Ids of calls are mapped (wire_ids.h). What the service wants back with the model's messages goes back
// (openai_state.h); their reasoning does in turns with calls alone.
//
// Reasoning is asked for in the dialect of GLM alone ("thinking"). Models of OpenAI that can reason do so unasked, and
// others refuse a request that has "reasoning_effort"; a caller who knows the model sets it in ModelRequest::extra.
absl::StatusOr<Json> OpenAiRequestBody(const ModelRequest& request, std::string_view model, OpenAiDialect dialect,
                                       bool stream);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_OPENAI_REQUEST_H_
