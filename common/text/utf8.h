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

// Whether `text` is well-formed UTF-8 (Unicode, table 3-7): no overlong forms, surrogates or stray bytes.
constexpr bool IsWellFormedUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || text.size() - i < length) return false;
    for (size_t k = 1; k < length; ++k) {
      if (!ContinuesCharacter(text[i + k])) return false;
    }
    const unsigned char second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return false;
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return false;
    i += length;
  }
  return true;
}

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_UTF8_H_
