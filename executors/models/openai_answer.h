// Answers of the chat completions API, and of the many services that speak it with words of their own.
#ifndef TOOLGATE_EXECUTORS_MODELS_OPENAI_ANSWER_H_
#define TOOLGATE_EXECUTORS_MODELS_OPENAI_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "common/json.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/answer_draft.h"
#include "executors/models/answer_reader.h"
#include "executors/models/chat_model.h"
#include "executors/models/openai_state.h"

namespace toolgate::executors::models {

// Reads the first choice. Takes reasoning from reasoning_content or reasoning, images from images and from parts of the
// content. A stream ends with [DONE] or a finish_reason; with neither it is cut off.
class OpenAiAnswer final : public AnswerReader {
 public:
  // Borrows all three; `sink` may be null.
  OpenAiAnswer(const AnswerBounds& bounds, IdSource& ids, DeltaSink* sink)
      : bounds_(bounds), draft_(bounds, ids, sink) {}

  absl::Status Whole(std::string_view body) override;
  absl::Status Event(const http::ServerEvent& event) override;
  bool complete() const override { return done_; }
  absl::StatusOr<ModelAnswer> Finish() override;

 private:
  // A tool call whose pieces come one by one.
  struct OpenCall {
    int64_t index = 0;  // The service's.
    std::string id;     // The service's.
    size_t use = 0;     // In Message::tool_uses.
  };

  absl::Status ReadChunk(const Json& chunk);
  absl::Status ReadChoice(const Json& choice);
  absl::Status ReadMessage(const Json& message);
  absl::Status ReadContent(const Json& content);
  absl::Status ReadReasoning(const Json& message);
  absl::Status ReadReasoningDetail(const Json& detail);
  absl::Status ReadImage(const Json& part);
  absl::Status ReadToolCall(const Json& call, int64_t position);
  absl::StatusOr<size_t> UseOf(const Json& call, int64_t position);
  absl::Status ReadFinish(std::string_view reason);

  const AnswerBounds& bounds_;
  AnswerDraft draft_;
  OpenAiState state_;
  std::vector<OpenCall> calls_;
  std::optional<StopReason> stop_;
  bool whole_ = false;
  bool refused_ = false;
  bool done_ = false;
  size_t events_ = 0;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_OPENAI_ANSWER_H_
