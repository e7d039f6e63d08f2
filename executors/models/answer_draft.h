// A model's answer while it comes.
#ifndef TOOLGATE_EXECUTORS_MODELS_ANSWER_DRAFT_H_
#define TOOLGATE_EXECUTORS_MODELS_ANSWER_DRAFT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/ids.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// Collects the pieces of an answer within bounds and tells the sink of them. Errors are HopelessAnswer for an answer
// beyond the bounds, and those of the sink, unchanged. Borrows both references and the sink. Not thread-safe.
class AnswerDraft {
 public:
  // `sink` may be null.
  AnswerDraft(const AnswerBounds& bounds, IdSource& ids, DeltaSink* sink) : bounds_(bounds), ids_(ids), sink_(sink) {}

  absl::Status AddText(std::string_view piece);
  absl::Status AddReasoning(std::string_view piece);
  // The text so far turned out to be reasoning. The sink, which had it as text, is told it again as that.
  absl::Status TurnTextIntoReasoning();
  // UnwantedAnswer for nothing, which is an image that could not be read.
  absl::Status AddImage(std::optional<Image> image);

  // Begins a tool call; its index in tool_uses. An id that is empty, in use or over 128 bytes, which is the most that
  // Execute takes, is replaced by a new one.
  absl::StatusOr<size_t> BeginToolUse(std::string_view id, std::string_view name);
  // The name of a call that began without one.
  absl::Status NameToolUse(size_t index, std::string_view name);
  absl::Status AddArguments(size_t index, std::string_view piece);

  // Counts bytes that are kept elsewhere, for the state of the provider; kKeptPartBytes more for each part.
  absl::Status Charge(size_t bytes);

  void set_model(std::string_view name);
  void set_tokens(int64_t input, int64_t output);
  const Message& message() const { return answer_.message; }

  // The whole. UnwantedAnswer if there is nothing in it although it ended of its own accord, or a tool call without a
  // name. kToolUse and kEnd follow from whether there are tool calls; other reasons stay. A call without arguments has
  // {} if `own_end`, the service said so by a word that IsOwnEnd knows; else they may have been cut off and stay empty.
  // An answer that was cut by its length or a filter loses a call without a name, and its calls have no {} either.
  absl::StatusOr<ModelAnswer> Finish(StopReason stop, bool own_end, std::string provider_state);

  // Whether a tool call, other than one without a name, has no arguments so far.
  bool HasCallWithoutArguments() const;

 private:
  bool IsUsableId(std::string_view id) const;

  const AnswerBounds& bounds_;
  IdSource& ids_;
  DeltaSink* const sink_;
  ModelAnswer answer_;
  size_t bytes_ = 0;
  size_t image_bytes_ = 0;
};

// Whether `reason`, by which a service says why an answer ended, means that the model came to its end. Services have
// many words, and some mean that they stopped it.
bool IsOwnEnd(std::string_view reason);

// Memory that a part costs besides its text, about.
inline constexpr size_t kKeptPartBytes = 128;

// A prefix of ids that BeginToolUse made up: the provider does not know them.
inline constexpr std::string_view kMadeUpId = "toolgate-";

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_ANSWER_DRAFT_H_
