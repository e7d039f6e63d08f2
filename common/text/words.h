// Words and lists of them.
#ifndef TOOLGATE_COMMON_TEXT_WORDS_H_
#define TOOLGATE_COMMON_TEXT_WORDS_H_

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace toolgate::text {

// Whether `words`, an array of std::string_view, has the word as it is written.
template <typename Words>
bool IsOneOf(std::string_view word, const Words& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}
inline bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether they are equal but for the case of ASCII letters.
inline bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

// As IsOneOf, whatever the case of ASCII letters.
template <typename Words>
bool IsOneOfIgnoringCase(std::string_view word, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [word](std::string_view other) { return EqualIgnoringCase(word, other); });
}

// Without ASCII white space around it.
inline std::string_view Trim(std::string_view text) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace({text.data(), text.size()});
  return {trimmed.data(), trimmed.size()};
}

// A text of a C library, where null stands for "".
inline std::string_view OrEmpty(const char* text) { return text == nullptr ? std::string_view() : text; }

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_WORDS_H_
