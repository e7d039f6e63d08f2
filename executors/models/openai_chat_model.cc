#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "common/absl_bridge.h"
#include "common/ids.h"
#include "common/status_macros.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/chat_model.h"
#include "executors/models/model_call.h"
#include "executors/models/openai_answer.h"
#include "executors/models/openai_request.h"
#include "observability/tracing/attribute_names.h"

namespace toolgate::executors::models {
namespace {

// Configured models are few; requests may name others.
constexpr size_t kMaxHabits = 256;

class OpenAi final : public ChatModel {
 public:
  OpenAi(std::shared_ptr<providers::Provider> provider, OpenAiDialect dialect)
      : provider_(std::move(provider)), dialect_(dialect) {}

  v1::CatalogFormat catalog_format() const override {
    return dialect_ == OpenAiDialect::kGlm ? v1::CATALOG_FORMAT_GLM : v1::CATALOG_FORMAT_OPENAI;
  }

  v1::ResultFormat result_format() const override {
    return dialect_ == OpenAiDialect::kGlm ? v1::RESULT_FORMAT_TOOL_RESULT_XML : v1::RESULT_FORMAT_OPENAI;
  }

  absl::StatusOr<ModelAnswer> Complete(const ModelRequest& request, DeltaSink* sink, providers::Scope& scope) override {
    ModelCall call = {.api = observability::tracing::kOpenAi, .path = "/chat/completions", .stream = sink != nullptr};
    ASSIGN_OR_RETURN(call.model, ModelName(request, *provider_));
    ASSIGN_OR_RETURN(call.body, OpenAiRequestBody(request, call.model, dialect_, call.stream));
    const AnswerBounds bounds;
    OpenAiAnswer answer(bounds, IdSource::Real(), sink, HoldsText(request, call.model));
    ASSIGN_OR_RETURN(ModelAnswer read, AskModel(*provider_, call, answer, scope));
    if (answer.saw_unopened_thoughts()) {
      Learn(call.model, Habit::kUnopened);
    } else if (!read.message.text.empty()) {
      Learn(call.model, Habit::kNone);
    }
    return read;
  }

 private:
  // How the model's thoughts come. A template that writes the opening tag itself does so in every answer.
  enum class Habit { kUnknown, kNone, kUnopened };

  Habit HabitOf(std::string_view model) const {
    const absl::MutexLock lock(&mutex_);
    const auto found = habits_.find(ToAbsl(model));
    return found == habits_.end() ? Habit::kUnknown : found->second;
  }

  void Learn(std::string_view model, Habit habit) {
    const absl::MutexLock lock(&mutex_);
    if (habits_.size() >= kMaxHabits && !habits_.contains(ToAbsl(model))) habits_.clear();
    habits_[ToAbsl(model)] = habit;
  }

  bool HoldsText(const ModelRequest& request, std::string_view model) const {
    const Habit habit = HabitOf(model);
    return habit == Habit::kUnknown ? request.reasoning || IsReasoner(model) : habit == Habit::kUnopened;
  }

  // Whether the name is that of an open model that always thinks.
  static bool IsReasoner(std::string_view model) {
    for (const absl::string_view word :
         absl::StrSplit(absl::AsciiStrToLower(ToAbsl(model)), absl::ByAnyChar("-_/:."))) {
      if (word == "r1" || word == "qwq" || word == "thinking" || word == "think" || word == "reasoner" ||
          word == "reasoning") {
        return true;
      }
    }
    return false;
  }

  const std::shared_ptr<providers::Provider> provider_;
  const OpenAiDialect dialect_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Habit> habits_ ABSL_GUARDED_BY(mutex_);  // By the provider's name of the model.
};

}  // namespace

std::unique_ptr<ChatModel> OpenAiChatModel(std::shared_ptr<providers::Provider> provider, OpenAiDialect dialect) {
  return std::make_unique<OpenAi>(std::move(provider), dialect);
}

}  // namespace toolgate::executors::models
