#include <memory>
#include <utility>

#include "common/ids.h"
#include "common/status_macros.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/chat_model.h"
#include "executors/models/gemini_answer.h"
#include "executors/models/gemini_request.h"
#include "executors/models/model_call.h"
#include "observability/tracing/attribute_names.h"

namespace toolgate::executors::models {
namespace {

class Gemini final : public ChatModel {
 public:
  explicit Gemini(std::shared_ptr<providers::Provider> provider) : provider_(std::move(provider)) {}

  v1::CatalogFormat catalog_format() const override { return v1::CATALOG_FORMAT_GEMINI; }
  v1::ResultFormat result_format() const override { return v1::RESULT_FORMAT_GEMINI; }

  absl::StatusOr<ModelAnswer> Complete(const ModelRequest& request, DeltaSink* sink, providers::Scope& scope) override {
    ModelCall call = {.api = observability::tracing::kGemini, .stream = sink != nullptr};
    ASSIGN_OR_RETURN(call.model, ModelName(request, *provider_));
    ASSIGN_OR_RETURN(call.path, GeminiPath(call.model, call.stream));
    ASSIGN_OR_RETURN(call.body, GeminiRequestBody(request));
    const AnswerBounds bounds;
    GeminiAnswer answer(bounds, IdSource::Real(), sink);
    return AskModel(*provider_, call, answer, scope);
  }

 private:
  const std::shared_ptr<providers::Provider> provider_;
};

}  // namespace

std::unique_ptr<ChatModel> GeminiModel(std::shared_ptr<providers::Provider> provider) {
  return std::make_unique<Gemini>(std::move(provider));
}

}  // namespace toolgate::executors::models
