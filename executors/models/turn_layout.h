// Order of the parts of a model's turn, and what its provider wants back with them.
#ifndef TOOLGATE_EXECUTORS_MODELS_TURN_LAYOUT_H_
#define TOOLGATE_EXECUTORS_MODELS_TURN_LAYOUT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// One part of a turn.
struct TurnPart {
  enum class Kind { kText, kImage, kToolUse, kOpaque };

  Kind kind = Kind::kText;
  size_t size = 0;   // kText: bytes of Message::text that follow those of earlier parts.
  size_t index = 0;  // kImage, kToolUse: in Message::images or Message::tool_uses.
  // kOpaque: the whole part as the provider gave it. Others: members that go back with it, such as a signature.
  Json extra = Json::object();
};

// Built while an answer comes, kept in Message::provider_state, and read when the turn goes back to the provider. A
// state of another provider, or one that no longer fits its message, counts as none. Not thread-safe.
class TurnLayout {
 public:
  // Joins the text before it, unless one of the two has an extra.
  void AddText(size_t size, Json extra = Json::object());
  void AddImage(size_t index, Json extra = Json::object());
  void AddToolUse(size_t index, Json extra = Json::object());
  void AddOpaque(Json part);

  // The state of a message with these parts; empty if there is nothing that the provider wants back.
  std::string State(std::string_view provider, const Message& message) const;

  // Whether a provider's state is a layout.
  static bool IsIn(std::string_view provider_state);

  // The parts of `message`, each text, image and tool use once. Without a state: text, images, tool uses.
  static std::vector<TurnPart> Parts(std::string_view provider, const Message& message);

 private:
  std::vector<TurnPart> parts_;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_TURN_LAYOUT_H_
