// Finds every literal of a rule set in one pass over a text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_

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

// A trie of the literals. Nearly all of them begin where a word begins, so that is where it is walked: a text costs as
// many walks as it has words, and a walk ends at the first character that no literal has there. A walk is never longer
// than the longest literal, hence linear in the text, whatever the text is. Immutable, hence thread-safe.
class Matcher {
 public:
  explicit Matcher(const RuleSet& rules);

  // Replaces `matches` by the occurrences in `text` (at most 4 GiB), ordered by end. ASCII case is ignored. With
  // `inside_words`, also those that begin inside of words. Boundaries are for the caller to check.
  void Scan(std::string_view text, bool inside_words, std::vector<LiteralMatch>& matches) const;

 private:
  // A node's children stand side by side, in the order of their symbols.
  struct Node {
    uint64_t children = 0;  // A bit for each symbol.
    uint32_t first_child = 0;
    uint32_t first_output = 0;
    uint32_t output_count = 0;
  };
  struct Draft;

  void Store(const std::vector<Draft>& drafts);
  void Walk(std::string_view text, uint32_t start, std::vector<LiteralMatch>& matches) const;
  const Node* Step(const Node* node, uint8_t byte) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> outputs_;
  bool begins_inside_ = false;  // Some literal of ASCII letters may begin inside of a word.
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_MATCHER_H_
