// Finds the words in letters that were written without blanks.
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
// unknown letters. Linear: each place looks at most kMaxWord letters ahead. Immutable, hence thread-safe.
class Segmenter {
 public:
  static constexpr size_t kMaxWord = 18;
  // Shorter runs of letters are words as they stand.
  static constexpr size_t kMinRun = 6;

  // Words with other characters than ASCII letters, and words of more than kMaxWord letters, are left out.
  explicit Segmenter(const std::vector<std::string>& words);

  // Blanks between the words of every run of at least kMinRun ASCII letters; everything else as it is. "inCamelCase" is
  // cut where the case says so. False, with nothing in `out`, when there is no such run.
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
