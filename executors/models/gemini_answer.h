// Answers of the Gemini API.
#ifndef TOOLGATE_EXECUTORS_MODELS_GEMINI_ANSWER_H_
#define TOOLGATE_EXECUTORS_MODELS_GEMINI_ANSWER_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "common/ids.h"
#include "common/json.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/answer_draft.h"
#include "executors/models/answer_reader.h"
#include "executors/models/chat_model.h"
#include "executors/models/turn_layout.h"

namespace toolgate::executors::models {

// Reads the first candidate; an event of a stream has the form of a whole answer. Keeps signatures of thoughts with
// their parts. An answer without a finishReason is cut off. A blocked request is no answer, a blocked answer is one
// that stopped at kRefusal.
class GeminiAnswer final : public AnswerReader {
 public:
  // Borrows all three; `sink` may be null.
  GeminiAnswer(const AnswerBounds& bounds, IdSource& ids, DeltaSink* sink)
      : bounds_(bounds), draft_(bounds, ids, sink) {}

  absl::Status Whole(std::string_view body) override;
  absl::Status Event(const http::ServerEvent& event) override;
  // The API has no word for it; counts of tokens may follow the finishReason.
  bool complete() const override { return false; }
  absl::StatusOr<ModelAnswer> Finish() override;

 private:
  absl::Status ReadChunk(const Json& chunk);
  absl::Status ReadCandidate(const Json& candidate);
  absl::Status ReadPart(const Json& part);
  absl::Status ReadThought(const Json& part, const Json& extra);
  absl::Status ReadFunctionCall(const Json& call, Json extra);
  absl::Status ReadImage(const Json& data, Json extra);
  absl::Status ReadFinish(std::string_view reason);

  const AnswerBounds& bounds_;
  AnswerDraft draft_;
  TurnLayout layout_;
  std::optional<StopReason> stop_;
  bool own_end_ = false;
  size_t events_ = 0;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_GEMINI_ANSWER_H_
