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

// Most literals are whole words, and are looked up word by word; the others byte by byte, where a word or anything but
// a blank begins. Linear in the text, whatever the text is. Thread-safe.
class Matcher {
 public:
  // `rules` must outlive this.
  explicit Matcher(const RuleSet& rules);

  // Replaces `matches` by the occurrences in `text`, whose words are `words`, ordered by end. ASCII case is ignored. An
  // ASCII letter or digit after a literal that ends a word rules it out; all other conditions are for the caller to
  // check.
  void Scan(std::string_view text, const std::vector<text::Word>& words, std::vector<LiteralMatch>& matches) const;

  // The same with those that begin or end inside of words, in a text that has lost its blanks.
  void ScanInsideWords(std::string_view text, std::vector<LiteralMatch>& matches) const;

 private:
  // The numbers of the literals that go into the trie of words, or of the others.
  static std::vector<uint32_t> Members(const RuleSet& rules, bool words);

  const RuleSet& rules_;
  const WordTrie words_;
  const ByteTrie bytes_;
  // All literals; made when the first text needs it: few do.
  mutable std::once_flag all_made_;
  mutable std::unique_ptr<const ByteTrie> all_;
};

}  // namespace toolgate::security::injection_defence::rules

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_MATCHER_H_
