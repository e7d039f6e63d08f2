// A model's reasoning as steps.
#ifndef TOOLGATE_SERVICES_CHAT_REASONING_STEPS_H_
#define TOOLGATE_SERVICES_CHAT_REASONING_STEPS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "toolgate/v1/chat_service.pb.h"

namespace toolgate::services::chat {

// Cuts reasoning text, in whatever pieces it comes, into steps: a paragraph each, whose first line is the headline and
// whose list items are the points. Not thread-safe.
class ReasoningSteps {
 public:
  static constexpr size_t kMaxSteps = 200;  // The text has more; the steps end there.

  explicit ReasoningSteps(std::string phase) : phase_(std::move(phase)) {}

  // The steps that `piece` completes.
  std::vector<v1::ReasoningStep> Feed(std::string_view piece);
  // The step that the end of the text completes, if any.
  std::vector<v1::ReasoningStep> Finish();

 private:
  void EndParagraph(std::vector<v1::ReasoningStep>& steps);

  const std::string phase_;
  std::string paragraph_;  // Whole lines.
  std::string line_;       // Not ended yet.
  size_t made_ = 0;
};

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_REASONING_STEPS_H_
