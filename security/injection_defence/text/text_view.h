// One reading of a text, with a mapping back to the original.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_TEXT_VIEW_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_TEXT_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::security::injection_defence::text {

// `origin[i]` is the byte of the original text from which byte i of `text` came. A value.
struct TextView {
  std::string text;
  std::vector<uint32_t> origin;
  // Blanks and punctuation between letters were removed, so words have no boundaries.
  bool unspaced = false;

  void Clear() {
    text.clear();
    origin.clear();
    unspaced = false;
  }
  void Append(std::string_view bytes, uint32_t from) {
    text.append(bytes);
    // Mostly the few bytes of one character.
    for (size_t i = 0; i < bytes.size(); ++i) origin.push_back(from);
  }
  void Append(char byte, uint32_t from) {
    text.push_back(byte);
    origin.push_back(from);
  }
};

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_TEXT_VIEW_H_
