// Text that no one wrote.
#ifndef TOOLGATE_TESTS_SUPPORT_GARBAGE_TEXT_H_
#define TOOLGATE_TESTS_SUPPORT_GARBAGE_TEXT_H_

#include <cstddef>
#include <random>
#include <string>

namespace toolgate::testing {

// Well-formed text without an odd character that can be read in very many ways; always the same.
inline std::string RandomLatin1(size_t characters) {
  std::mt19937 random(7);
  std::string text;
  for (size_t i = 0; i < characters; ++i) {
    const auto code = static_cast<unsigned>(0x20 + random() % 0xE0);
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else {
      text += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
    }
  }
  return text;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_GARBAGE_TEXT_H_
