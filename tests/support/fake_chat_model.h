// A language model whose answers a test provides.
#ifndef TOOLGATE_TESTS_SUPPORT_FAKE_CHAT_MODEL_H_
#define TOOLGATE_TESTS_SUPPORT_FAKE_CHAT_MODEL_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "executors/models/chat_model.h"

namespace toolgate::testing {

// Streams nothing. Thread-safe, if `answer` is.
class FakeChatModel final : public executors::models::ChatModel {
 public:
  using Answer =
      std::function<absl::StatusOr<executors::models::ModelAnswer>(const executors::models::ModelRequest& request)>;

  explicit FakeChatModel(Answer answer) : answer_(std::move(answer)) {}

  // Says the same to everything.
  static std::shared_ptr<FakeChatModel> Saying(std::string text) {
    return std::make_shared<FakeChatModel>([text = std::move(text)](const executors::models::ModelRequest&) {
      executors::models::ModelAnswer answer;
      answer.message.role = executors::models::Role::kAssistant;
      answer.message.text = text;
      return answer;
    });
  }

  v1::CatalogFormat catalog_format() const override { return v1::CATALOG_FORMAT_OPENAI; }
  v1::ResultFormat result_format() const override { return v1::RESULT_FORMAT_OPENAI; }
  absl::StatusOr<executors::models::ModelAnswer> Complete(const executors::models::ModelRequest& request,
                                                          executors::models::DeltaSink* /*sink*/,
                                                          executors::providers::Scope& /*scope*/) override
      ABSL_LOCKS_EXCLUDED(mutex_) {
    {
      const absl::MutexLock lock(&mutex_);
      requests_.push_back(request);
    }
    return answer_(request);
  }

  std::vector<executors::models::ModelRequest> requests() const ABSL_LOCKS_EXCLUDED(mutex_) {
    const absl::MutexLock lock(&mutex_);
    return requests_;
  }

 private:
  const Answer answer_;
  mutable absl::Mutex mutex_;
  std::vector<executors::models::ModelRequest> requests_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_FAKE_CHAT_MODEL_H_
