// Finds every literal of a rule set in one pass over a text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_MATCHER_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_MATCHER_H_

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "security/injection_defence/rules/byte_trie.h"
#include "security/injection_defence/rules/literal_match.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/rules/word_trie.h"
#include "security/injection_defence/text/words.h"

namespace toolgate::security::injection_defence::rules {

// Most literals are whole words, and are looked up word by word; the others byte by byte, at every character that
// begins a word or is not a blank. Linear for every text. Thread-safe.
class Matcher {
 public:
  // `rules` must outlive this.
  explicit Matcher(const RuleSet& rules);

  // Replaces `matches` by the occurrences in `text`, whose words are `words`, ordered by end. Ignores ASCII case. A
  // literal that must end a word does not match before an ASCII letter or digit; the caller must check all other
  // conditions.
  void Scan(std::string_view text, const std::vector<text::Word>& words, std::vector<LiteralMatch>& matches) const;

  // The same, including those that begin or end inside of words, for a text whose blanks were removed.
  void ScanInsideWords(std::string_view text, std::vector<LiteralMatch>& matches) const;

 private:
  // Numbers of the literals for the trie of words, or of the others.
  static std::vector<uint32_t> Members(const RuleSet& rules, bool words);

  const RuleSet& rules_;
  const WordTrie words_;
  const ByteTrie bytes_;
  // All literals; built when the first text needs it: few do.
  mutable std::once_flag all_made_;
  mutable std::unique_ptr<const ByteTrie> all_;
};

}  // namespace toolgate::security::injection_defence::rules

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_MATCHER_H_
