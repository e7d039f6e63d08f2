// Steps through UTF-8 by characters (code points). The text is well-formed; in any other a byte that begins no
// character counts as part of the one before it.
#ifndef TOOLGATE_COMMON_TEXT_UTF8_H_
#define TOOLGATE_COMMON_TEXT_UTF8_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace toolgate::text {

// Whether `byte` belongs to a character that began before it.
constexpr bool ContinuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The number of characters.
constexpr size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !ContinuesCharacter(c); }));
}

// The longest prefix of at most `max_bytes` that ends where a character ends.
constexpr std::string_view PrefixOfBytes(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && ContinuesCharacter(text[max_bytes])) --max_bytes;
  return text.substr(0, max_bytes);
}

// The first `max_characters` characters.
constexpr std::string_view PrefixOfCharacters(std::string_view text, size_t max_characters) {
  if (text.size() <= max_characters) return text;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!ContinuesCharacter(text[i]) && max_characters-- == 0) return text.substr(0, i);
  }
  return text;
}

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_UTF8_H_
