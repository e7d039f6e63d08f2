// Requests of the Gemini API.
#ifndef TOOLGATE_EXECUTORS_MODELS_GEMINI_REQUEST_H_
#define TOOLGATE_EXECUTORS_MODELS_GEMINI_REQUEST_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// "/v1beta/models/{model}:generateContent", or its form that streams. `model` may begin with "models/". INVALID_PARAMS
// unless the rest are 1 to 128 letters, digits, ".", "_" and "-", with a letter or digit first: it becomes part of a
// URL.
absl::StatusOr<std::string> GeminiPath(std::string_view model, bool stream);

// The body of such a request. INTERNAL for a catalogue that is no JSON. Ids of calls that the model gave none are not
// sent: the API matches calls and answers by their order then.
absl::StatusOr<Json> GeminiRequestBody(const ModelRequest& request);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_GEMINI_REQUEST_H_
