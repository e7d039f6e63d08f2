// Finds the words in letters that are written without blanks.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_SEGMENTER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_SEGMENTER_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::text {

// Splits by a vocabulary of Latin words: of all ways to read a run of letters, the one with the fewest words and
// unknown letters. Linear: each position looks at most kMaxWord letters ahead. Immutable, hence thread-safe.
class Segmenter {
 public:
  static constexpr size_t kMaxWord = 18;
  // Shorter runs of letters are not split.
  static constexpr size_t kMinRun = 6;

  // Ignores words with characters other than ASCII letters, and words of more than kMaxWord letters.
  explicit Segmenter(const std::vector<std::string>& words);

  // Puts blanks between the words of every run of at least kMinRun ASCII letters; everything else stays unchanged.
  // "inCamelCase" is split at its capitals. False, with empty `out`, if there is no such run.
  bool Split(const TextView& in, TextView& out) const;

 private:
  struct Node {
    std::array<uint32_t, 26> next{};
    bool is_word = false;
  };

  void Add(std::string_view word);
  void SplitCamelCase(const TextView& in, size_t start, size_t end, TextView& out) const;
  void SplitRun(const TextView& in, size_t start, size_t end, TextView& out) const;

  std::vector<Node> nodes_;  // A trie; the root is the first.
};

}  // namespace toolgate::security::injection_defence::text

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_TEXT_SEGMENTER_H_
