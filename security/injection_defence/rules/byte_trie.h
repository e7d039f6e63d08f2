// A trie of literals, walked byte by byte.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_BYTE_TRIE_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_BYTE_TRIE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "security/injection_defence/rules/literal_match.h"
#include "security/injection_defence/rules/rule_set.h"

namespace toolgate::security::injection_defence::rules {

// A walk begins only where some literal begins with these bytes, and ends at the first byte that no literal has there:
// it is never longer than the longest literal. Immutable, hence thread-safe.
class ByteTrie {
 public:
  // Holds the `literals` whose numbers are in `members`.
  ByteTrie(const std::vector<Literal>& literals, const std::vector<uint32_t>& members);

  // Adds the literals that begin at byte `at` of `text` to `matches`, which stay ordered by end. Ignores ASCII case. A
  // literal that must end a word does not match before an ASCII letter or digit.
  void Find(std::string_view text, uint32_t at, std::vector<LiteralMatch>& matches) const {
    if (roots_[static_cast<uint8_t>(text[at])] != 0) FindHere(text, at, matches);
  }

  // The same, but literals may also end inside of words.
  void FindAnyEnd(std::string_view text, uint32_t at, std::vector<LiteralMatch>& matches) const {
    if (roots_[static_cast<uint8_t>(text[at])] != 0) Walk(text, at, /*any_end=*/true, matches);
  }

  // Some literal of ASCII letters may begin inside of a word.
  bool begins_inside_words() const { return begins_inside_words_; }

 private:
  // A node's children are adjacent and ordered by their bytes, which have the same positions in `labels_`.
  struct Node {
    uint32_t first_child = 0;
    uint32_t first_output = 0;
    uint16_t child_count = 0;
    uint16_t output_count = 0;
  };
  class Builder;

  void AddStart(const Literal& literal);
  void FindHere(std::string_view text, uint32_t at, std::vector<LiteralMatch>& matches) const;
  bool MayStart(std::string_view text, uint32_t at) const;
  void Walk(std::string_view text, uint32_t start, bool any_end, std::vector<LiteralMatch>& matches) const;
  void Emit(const Node& node, std::string_view text, uint32_t start, uint32_t end, bool any_end,
            std::vector<LiteralMatch>& matches) const;
  uint32_t ChildOf(const Node& node, uint8_t byte) const;

  std::vector<Node> nodes_;
  std::vector<uint8_t> labels_;  // By node: the byte that leads to it.
  std::vector<uint32_t> outputs_;
  std::vector<bool> ends_word_;        // By literal: no letter or digit may follow.
  std::array<uint32_t, 256> roots_{};  // By first byte, in either case: the node, or 0.
  // Bits for hashes of the literals' beginnings: the first six bytes of literals with at least six, the first four of
  // those with four or five, and three bytes of shorter ones, the last of which may come after the literal.
  std::array<uint64_t, 1024> sixes_{};
  std::array<uint64_t, 1024> fours_{};
  std::array<uint64_t, 1024> threes_{};
  std::array<bool, 256> singles_{};  // By byte: it is a literal by itself, at the end of a word;
  std::array<bool, 256> anys_{};     // … or anywhere.
  bool begins_inside_words_ = false;
};

}  // namespace toolgate::security::injection_defence::rules

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_BYTE_TRIE_H_
