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
#include "executors/models/object_end.h"
#include "executors/models/openai_state.h"
#include "executors/models/thought_splitter.h"

namespace toolgate::executors::models {

// Reads the first choice. Takes reasoning from reasoning_content or reasoning, from parts of the content and from tags
// in it, images from images and from parts of the content. A stream ends with [DONE] or a finish_reason; with neither
// it is cut off.
class OpenAiAnswer final : public AnswerReader {
 public:
  // Borrows all three; `sink` may be null. `holds_text`: the model may write thoughts without an opening tag, so the
  // sink is given no text until a tag, reasoning or the end has come.
  OpenAiAnswer(const AnswerBounds& bounds, IdSource& ids, DeltaSink* sink, bool holds_text = false)
      : bounds_(bounds), draft_(bounds, ids, sink), holds_text_(holds_text) {}

  absl::Status Whole(std::string_view body) override;
  absl::Status Event(const http::ServerEvent& event) override;
  bool complete() const override { return done_; }
  absl::StatusOr<ModelAnswer> Finish() override;

  // Whether thoughts without an opening tag have come.
  bool saw_unopened_thoughts() const { return splitter_.has_value() && splitter_->saw_unopened(); }

 private:
  // A tool call whose pieces come one by one.
  struct OpenCall {
    std::optional<int64_t> index;  // The service's.
    std::string id;                // The service's.
    size_t use = 0;                // In Message::tool_uses.
    ObjectEnd end = {};            // Of its arguments.
    bool is_object = false;        // They are one; known once `end` is reached.
  };
  // A piece of a tool call.
  struct CallPiece {
    std::optional<int64_t> index = {};
    std::string_view id = {};
    std::string_view name = {};
    std::string arguments = {};
    bool alone = false;  // No other piece is in the same chunk.
    size_t position = 0;
  };

  absl::Status ReadChunk(const Json& chunk);
  absl::Status ReadChoice(const Json& choice);
  absl::Status ReadMessage(const Json& message);
  absl::Status ReadContent(const Json& content);
  absl::Status ReadContentPart(const Json& part);
  absl::Status AddContent(std::string_view text);
  absl::Status AddPieces(const std::vector<ThoughtSplitter::Piece>& pieces);
  absl::Status ReadReasoning(const Json& message);
  absl::Status ReadReasoningDetail(const Json& detail);
  absl::Status ReadImage(const Json& part);
  absl::Status ReadToolCalls(const Json& message);
  absl::Status ReadToolCall(const Json& call, CallPiece piece);
  // The call that the piece continues; null if it begins one.
  OpenCall* CallOf(const CallPiece& piece);
  OpenCall* NamelessCallOf(const CallPiece& piece);
  OpenCall* LatestWithIndex(std::optional<int64_t> index);
  OpenCall* LatestWithId(std::string_view id);
  // Whether a piece that names a tool goes on with `call`, rather than beginning another one at its place.
  bool GoesOn(const OpenCall& call, const CallPiece& piece) const;
  absl::Status AddArguments(OpenCall& call, std::string_view piece);
  static bool IsComplete(const OpenCall& call) { return call.end.reached() && call.is_object; }
  absl::Status ReadFinish(std::string_view reason);
  bool BreaksOffInACall() const;

  const AnswerBounds& bounds_;
  AnswerDraft draft_;
  const bool holds_text_;
  std::optional<ThoughtSplitter> splitter_;
  size_t content_bytes_ = 0;
  OpenAiState state_;
  std::vector<OpenCall> calls_;
  std::optional<StopReason> stop_;
  bool own_end_ = false;
  bool whole_ = false;
  bool refused_ = false;
  bool tells_reasoning_ = false;  // Apart from the content.
  bool done_ = false;
  size_t events_ = 0;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_OPENAI_ANSWER_H_
