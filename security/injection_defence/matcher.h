// Finds every literal of a rule set in one pass over a text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "security/injection_defence/rule_set.h"

namespace toolgate::security::injection_defence {

// A literal that was seen: bytes [start, end) of the text.
struct LiteralMatch {
  uint32_t literal;
  uint32_t start;
  uint32_t end;
};

// A trie of the literals. Nearly all of them begin where a word begins, so that is where it is walked, and only if some
// literal begins with these bytes. A walk ends at the first byte that no literal has there, and is never longer than
// the longest literal: linear in the text, whatever the text is. Immutable, hence thread-safe.
class Matcher {
 public:
  explicit Matcher(const RuleSet& rules);

  // Replaces `matches` by the occurrences in `text` (at most 4 GiB), ordered by end. ASCII case is ignored. With
  // `inside_words`, also those that begin or end inside of words; otherwise an ASCII letter or digit after a literal
  // that ends a word rules it out. All other conditions are for the caller to check.
  void Scan(std::string_view text, bool inside_words, std::vector<LiteralMatch>& matches) const;

 private:
  // A node's children stand side by side, ordered by their bytes, which stand in the same place of `labels_`.
  struct Node {
    uint32_t first_child = 0;
    uint32_t first_output = 0;
    uint16_t child_count = 0;
    uint16_t output_count = 0;
  };
  class Builder;

  void AddStart(const Literal& literal);
  bool MayStart(std::string_view text, uint32_t at) const;
  void Walk(std::string_view text, uint32_t start, bool any_end, std::vector<LiteralMatch>& matches) const;
  void Emit(const Node& node, std::string_view text, uint32_t start, uint32_t end, bool any_end,
            std::vector<LiteralMatch>& matches) const;
  uint32_t ChildOf(const Node& node, uint8_t byte) const;

  std::vector<Node> nodes_;
  std::vector<uint8_t> labels_;  // By node: the byte that leads to it.
  std::vector<uint32_t> outputs_;
  std::vector<bool> ends_word_;        // By literal: no letter or digit may follow.
  std::array<uint32_t, 256> roots_{};  // By first byte: the node, or 0.
  std::vector<uint32_t> pairs_;        // By the first two bytes, both ASCII: the node, or 0.
  // Bits for hashes of how literals begin: of the first six bytes of those that have six, of the first four bytes of
  // those that have four or five, and of three bytes for shorter ones, where the last may be what follows the literal.
  std::array<uint64_t, 1024> sixes_{};
  std::array<uint64_t, 1024> fours_{};
  std::array<uint64_t, 1024> threes_{};
  std::array<bool, 256> singles_{};  // By byte: it is a literal by itself, at the end of a word;
  std::array<bool, 256> anys_{};     // … or anywhere.
  bool begins_inside_ = false;       // Some literal of ASCII letters may begin inside of a word.
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_
