#include "security/injection_defence/rules/matcher.h"

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace toolgate::security::injection_defence::rules {

std::vector<uint32_t> Matcher::Members(const RuleSet& rules, bool words) {
  std::vector<uint32_t> members;
  for (uint32_t i = 0; i < rules.literals().size(); ++i) {
    if (WordTrie::Takes(rules.literals()[i]) == words) members.push_back(i);
  }
  return members;
}

Matcher::Matcher(const RuleSet& rules)
    : rules_(rules),
      words_(rules.literals(), Members(rules, /*words=*/true)),
      bytes_(rules.literals(), Members(rules, /*words=*/false)) {}

void Matcher::Scan(std::string_view text, const std::vector<text::Word>& words,
                   std::vector<LiteralMatch>& matches) const {
  matches.clear();
  const auto between = [&](uint32_t at, uint32_t end) {
    for (; at < end; ++at) {
      if (text[at] != ' ') bytes_.Find(text, at, matches);
    }
  };
  uint32_t at = 0;
  for (size_t w = 0; w < words.size(); ++w) {
    const text::Word& word = words[w];
    between(at, word.start);
    words_.Find(text, words, w, matches);
    bytes_.Find(text, word.start, matches);
    if (bytes_.begins_inside_words()) between(word.start + 1, word.end);
    at = word.end;
  }
  between(at, static_cast<uint32_t>(text.size()));
}

void Matcher::ScanInsideWords(std::string_view text, std::vector<LiteralMatch>& matches) const {
  std::call_once(all_made_, [&] {
    std::vector<uint32_t> members(rules_.literals().size());
    std::iota(members.begin(), members.end(), 0);
    all_ = std::make_unique<const ByteTrie>(rules_.literals(), members);
  });
  matches.clear();
  for (uint32_t at = 0; at < text.size(); ++at) all_->FindAnyEnd(text, at, matches);
}

}  // namespace toolgate::security::injection_defence::rules
