#include <memory>
#include <utility>

#include "common/ids.h"
#include "common/status_macros.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/anthropic_answer.h"
#include "executors/models/anthropic_request.h"
#include "executors/models/chat_model.h"
#include "executors/models/model_call.h"
#include "observability/tracing/attribute_names.h"

namespace toolgate::executors::models {
namespace {

class Anthropic final : public ChatModel {
 public:
  explicit Anthropic(std::shared_ptr<providers::Provider> provider) : provider_(std::move(provider)) {}

  v1::CatalogFormat catalog_format() const override { return v1::CATALOG_FORMAT_ANTHROPIC; }
  v1::ResultFormat result_format() const override { return v1::RESULT_FORMAT_ANTHROPIC; }

  absl::StatusOr<ModelAnswer> Complete(const ModelRequest& request, DeltaSink* sink, providers::Scope& scope) override {
    ModelCall call = {.api = observability::tracing::kAnthropic,
                      .path = "/v1/messages",
                      .headers = {{"anthropic-version", "2023-06-01"}},
                      .stream = sink != nullptr};
    ASSIGN_OR_RETURN(call.model, ModelName(request, *provider_));
    ASSIGN_OR_RETURN(call.body, AnthropicRequestBody(request, call.model, call.stream));
    const AnswerBounds bounds;
    AnthropicAnswer answer(bounds, IdSource::Real(), sink);
    return AskModel(*provider_, call, answer, scope);
  }

 private:
  const std::shared_ptr<providers::Provider> provider_;
};

}  // namespace

std::unique_ptr<ChatModel> AnthropicModel(std::shared_ptr<providers::Provider> provider) {
  return std::make_unique<Anthropic>(std::move(provider));
}

}  // namespace toolgate::executors::models
