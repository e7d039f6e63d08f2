// Tests whether a reading resembles language.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_COMMON_WORDS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_COMMON_WORDS_H_

#include <cstddef>
#include <string_view>

namespace toolgate::security::injection_defence::text {

// Number of words of ASCII letters, and how many of them are common in some language. A value.
struct WordCount {
  size_t words = 0;
  size_t common = 0;

  double share() const { return words == 0 ? 0 : static_cast<double>(common) / static_cast<double>(words); }
};

// Linear.
WordCount CountCommonWords(std::string_view text);

// True if `reading` is language, and much more so than `text`, from which it was made: nobody writes like that by
// chance.
bool ReadsAsLanguage(std::string_view reading, std::string_view text);

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_COMMON_WORDS_H_
