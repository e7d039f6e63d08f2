#include "executors/models/object_end.h"

#include "absl/strings/ascii.h"

namespace toolgate::executors::models {

void ObjectEnd::Feed(std::string_view piece) {
  for (const char c : piece) Advance(c);
}

void ObjectEnd::Advance(char c) {
  if (state_ == State::kInside) return AdvanceInside(c);
  if (absl::ascii_isspace(static_cast<unsigned char>(c))) return;
  if (state_ == State::kBefore && c == '{') {
    state_ = State::kInside;
    depth_ = 1;
  } else {
    state_ = State::kNone;
  }
}

void ObjectEnd::AdvanceInside(char c) {
  if (in_string_) {
    if (!escaped_ && c == '"') in_string_ = false;
    escaped_ = !escaped_ && c == '\\';
    return;
  }
  if (c == '"') in_string_ = true;
  if (c == '{' || c == '[') ++depth_;
  if ((c == '}' || c == ']') && --depth_ == 0) state_ = State::kClosed;
}

}  // namespace toolgate::executors::models
