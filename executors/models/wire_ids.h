// Ids of tool calls as the messages of one request have them.
#ifndef TOOLGATE_EXECUTORS_MODELS_WIRE_IDS_H_
#define TOOLGATE_EXECUTORS_MODELS_WIRE_IDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// The ids that an API takes.
enum class IdForm {
  kOpenAi,     // At most 40 characters.
  kMistral,    // Nine letters and digits.
  kAnthropic,  // Letters, digits, underscores and hyphens.
  kAny,
};

// The form that `model`, behind the chat completions API, takes.
IdForm IdFormOf(std::string_view model);

// An id that every API takes, nine letters and digits: `id` itself if it is one, else always the same one for `id`.
std::string PortableId(std::string_view id);

// Each call of a request gets an id of the right form that no other call of it has, and each answer that of its call.
// An id stays as it is where it can, which keeps prompt caches; others are replaced alike in every request. Models
// repeat ids from one message to the next, so that an answer is that of a call in the model's message before it.
// Immutable, hence thread-safe.
class WireIds {
 public:
  WireIds(const std::vector<Message>& messages, IdForm form);

  // Of the tool uses of a message, or of its tool answers, in their order.
  const std::vector<std::string>& Of(size_t message) const { return ids_[message]; }

 private:
  std::vector<std::vector<std::string>> ids_;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_WIRE_IDS_H_
