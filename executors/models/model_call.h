// One request to a model service, from the model's name to its answer.
#ifndef TOOLGATE_EXECUTORS_MODELS_MODEL_CALL_H_
#define TOOLGATE_EXECUTORS_MODELS_MODEL_CALL_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/http/client.h"
#include "common/json.h"
#include "executors/models/answer_reader.h"
#include "executors/models/chat_model.h"
#include "executors/providers/provider.h"

namespace toolgate::executors::models {

struct ModelCall {
  std::string_view api = {};  // A value of kGenAiProviderName. For the span, as is the next.
  std::string model = {};
  std::string path = {};
  std::vector<http::Header> headers = {};  // Those of the API. Content-Type and Accept are added.
  Json body = Json::object();
  bool stream = false;
};

// The model that `request` names, or else the provider's settings. NOT_CONFIGURED if neither does.
absl::StatusOr<std::string> ModelName(const ModelRequest& request, const providers::Provider& provider);

// Sends the request and has the answer read. Errors are those of the provider and the reader, and EXECUTION_ERROR for
// an answer that is neither an event stream nor JSON, or an event beyond the size limit. Either form is read, whichever
// was asked for. A request is repeated like one that does no
// harm: it costs tokens and changes nothing. Its spans have the attributes of the conventions for a `chat`.
absl::StatusOr<ModelAnswer> AskModel(providers::Provider& provider, const ModelCall& call, AnswerReader& reader,
                                     providers::Scope& scope);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_MODEL_CALL_H_
