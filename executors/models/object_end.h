// The end of a JSON object that comes in pieces.
#ifndef TOOLGATE_EXECUTORS_MODELS_OBJECT_END_H_
#define TOOLGATE_EXECUTORS_MODELS_OBJECT_END_H_

#include <cstddef>
#include <string_view>

namespace toolgate::executors::models {

// Looks at each character once, and at brackets and strings alone: what it takes for an object need not be JSON, but
// nothing else is one. Not thread-safe.
class ObjectEnd {
 public:
  // The next piece.
  void Feed(std::string_view piece);
  // Whether the text so far is an object that is closed, with nothing but white space around it.
  bool reached() const { return state_ == State::kClosed; }

 private:
  enum class State { kBefore, kInside, kClosed, kNone };

  void Advance(char c);
  void AdvanceInside(char c);

  State state_ = State::kBefore;
  size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_OBJECT_END_H_
