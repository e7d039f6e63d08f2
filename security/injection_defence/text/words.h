// The words of a text, found once for all users.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_WORDS_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace toolgate::security::injection_defence::text {

// Bytes [start, end) of a text: a complete run of ASCII letters and digits.
struct Word {
  uint64_t hash;  // HashOfWord of the bytes in lower case.
  uint32_t start;
  uint32_t end;
  bool letters;  // It has letters,
  bool digits;   // … or some of these.
};

// Replaces `words` by those of `text` (less than 4 GiB), in order. Linear; looks at 64 bytes at once.
void ReadWords(std::string_view text, std::vector<Word>& words);

// A hash of exactly these bytes, the same in every process. Words of up to eight bytes have hashes of their own.
uint64_t HashOfWord(std::string_view bytes);

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_WORDS_H_
