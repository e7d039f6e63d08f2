// A language model whose answers a test writes.
#ifndef TOOLGATE_TESTS_SUPPORT_SCRIPTED_MODEL_H_
#define TOOLGATE_TESTS_SUPPORT_SCRIPTED_MODEL_H_

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/models/chat_model.h"

namespace toolgate::testing {

// Answers with the steps in their order, and keeps the requests. Used by one thread at a time.
class ScriptedModel final : public executors::models::ChatModel {
 public:
  using Answer = executors::models::ModelAnswer;
  using Request = executors::models::ModelRequest;
  using Step = std::function<absl::StatusOr<Answer>(const Request&)>;

  v1::CatalogFormat catalog_format() const override { return v1::CATALOG_FORMAT_OPENAI; }
  v1::ResultFormat result_format() const override { return v1::RESULT_FORMAT_TOOL_RESULT_XML; }

  absl::StatusOr<Answer> Complete(const Request& request, executors::models::DeltaSink* sink,
                                  executors::providers::Scope&) override {
    requests.push_back(request);
    if (steps.empty()) return MakeError(ErrorCode::kExecutionError, "the script has ended");
    const Step step = std::move(steps.front());
    steps.pop_front();
    ASSIGN_OR_RETURN(Answer answer, step(request));
    if (sink == nullptr) return answer;
    if (!answer.message.reasoning.empty()) RETURN_IF_ERROR(sink->Reasoning(answer.message.reasoning));
    if (!answer.message.text.empty()) RETURN_IF_ERROR(sink->Text(answer.message.text));
    return answer;
  }

  // Steps.
  void Says(std::string text, std::string reasoning = "") {
    Answer answer;
    answer.message.role = executors::models::Role::kAssistant;
    answer.message.text = std::move(text);
    answer.message.reasoning = std::move(reasoning);
    Adds(std::move(answer));
  }
  void Calls(std::vector<executors::models::ToolUse> uses) {
    Answer answer;
    answer.message.role = executors::models::Role::kAssistant;
    answer.message.tool_uses = std::move(uses);
    answer.stop = executors::models::StopReason::kToolUse;
    Adds(std::move(answer));
  }
  void Fails(absl::Status status) {
    steps.push_back([status = std::move(status)](const Request&) { return status; });
  }

  std::deque<Step> steps;
  std::vector<Request> requests;

 private:
  void Adds(Answer answer) {
    answer.input_tokens = 10;
    answer.output_tokens = 5;
    steps.push_back([answer = std::move(answer)](const Request&) { return answer; });
  }
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SCRIPTED_MODEL_H_
