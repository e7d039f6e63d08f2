// Answers of Anthropic's Messages API.
#ifndef TOOLGATE_EXECUTORS_MODELS_ANTHROPIC_ANSWER_H_
#define TOOLGATE_EXECUTORS_MODELS_ANTHROPIC_ANSWER_H_

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

namespace toolgate::executors::models {

// Keeps blocks of reasoning, signed or encrypted, and of kinds that are not known here, for the way back. A stream ends
// with message_stop or a stop_reason; with neither it is cut off.
class AnthropicAnswer final : public AnswerReader {
 public:
  // Borrows all three; `sink` may be null.
  AnthropicAnswer(const AnswerBounds& bounds, IdSource& ids, DeltaSink* sink)
      : bounds_(bounds), draft_(bounds, ids, sink) {}

  absl::Status Whole(std::string_view body) override;
  absl::Status Event(const http::ServerEvent& event) override;
  bool complete() const override { return done_; }
  absl::StatusOr<ModelAnswer> Finish() override;

 private:
  enum class Kind { kText, kToolUse, kOpaque };

  // A content block, complete or not.
  struct Block {
    int64_t index = 0;  // The service's.
    Kind kind = Kind::kOpaque;
    size_t text_size = 0;    // kText.
    size_t use = 0;          // kToolUse: in Message::tool_uses.
    Json opaque = Json();    // kOpaque: as it came, with its deltas applied.
    std::string input = {};  // kOpaque: pieces of its member "input".
  };

  absl::Status ReadEvent(const Json& event);
  absl::Status BeginBlock(int64_t index, const Json& content);
  absl::Status BeginToolUse(const Json& content, Block& block);
  absl::Status BeginOpaque(const Json& content, Block& block);
  Block* BlockOf(int64_t index, const Json& delta);
  absl::Status ReadDelta(int64_t index, const Json& delta);
  absl::Status ReadOpaqueDelta(const Json& delta, Block& block);
  void ReadUsage(const Json* usage);
  void ReadStop(std::string_view reason);
  bool IsCutThinking(const Block& block) const;
  std::string State() const;

  const AnswerBounds& bounds_;
  AnswerDraft draft_;
  std::vector<Block> blocks_;
  std::optional<StopReason> stop_;
  bool own_end_ = false;
  int64_t input_tokens_ = 0;
  int64_t output_tokens_ = 0;
  bool done_ = false;
  size_t events_ = 0;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_ANTHROPIC_ANSWER_H_
