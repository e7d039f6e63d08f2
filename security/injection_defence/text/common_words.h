// Resemblance of a reading to language.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_COMMON_WORDS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_COMMON_WORDS_H_

#include <cstddef>
#include <string_view>

namespace toolgate::security::injection_defence::text {

// Words of ASCII letters, and how many of them are among the commonest of some language. A value.
struct WordCount {
  size_t words = 0;
  size_t common = 0;

  double share() const { return words == 0 ? 0 : static_cast<double>(common) / static_cast<double>(words); }
};

// Linear.
WordCount CountCommonWords(std::string_view text);

// `reading` is language, and much more so than `text`, of which it is a reading: nobody writes so by chance.
bool ReadsAsLanguage(std::string_view reading, std::string_view text);

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_COMMON_WORDS_H_
