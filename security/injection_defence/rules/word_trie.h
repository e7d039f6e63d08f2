// A trie of literals that are words separated by single blanks, walked word by word.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_WORD_TRIE_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_WORD_TRIE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "security/injection_defence/rules/literal_match.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/text/words.h"

namespace toolgate::security::injection_defence::rules {

// A step is one look into a hash table, however long the word is. Immutable, hence thread-safe.
class WordTrie {
 public:
  // True for a literal of whole ASCII words separated by single blanks.
  static bool Takes(const Literal& literal);

  // Holds the `literals` whose numbers are in `members`; it must take all of them.
  WordTrie(const std::vector<Literal>& literals, const std::vector<uint32_t>& members);

  // Adds the literals that begin with words[at] to `matches`, which stay ordered by end. `words` are those of `text`.
  void Find(std::string_view text, const std::vector<text::Word>& words, size_t at,
            std::vector<LiteralMatch>& matches) const {
    const uint64_t hash = words[at].hash;
    if ((firsts_[FirstBit(hash) / 64] >> FirstBit(hash) % 64 & 1) != 0) Walk(text, words, at, matches);
  }

 private:
  struct Node {
    uint32_t first_output = 0;
    uint16_t output_count = 0;
    bool goes_on = false;
  };
  // Open addressing; a node of 0 is an empty place.
  struct Step {
    uint32_t check = 0;
    uint32_t node = 0;
  };

  static constexpr size_t kFirstBits = size_t{1} << 15;
  static size_t FirstBit(uint64_t hash) { return hash >> 40 & (kFirstBits - 1); }
  // Key of the step from `node` by the word.
  static uint64_t KeyOf(uint32_t node, uint64_t word) { return word ^ node * 0xD6E8FEB86659FD93u; }
  static uint32_t CheckOf(uint64_t key) { return static_cast<uint32_t>(key >> 32); }

  uint32_t AddStep(uint32_t node, uint64_t word);
  uint32_t Next(uint32_t node, uint64_t word) const;
  void Walk(std::string_view text, const std::vector<text::Word>& words, size_t at,
            std::vector<LiteralMatch>& matches) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> outputs_;
  std::vector<Step> steps_;
  uint64_t mask_ = 0;
  std::array<uint64_t, kFirstBits / 64> firsts_{};  // Bits of the words that literals begin with.
};

}  // namespace toolgate::security::injection_defence::rules

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_WORD_TRIE_H_
