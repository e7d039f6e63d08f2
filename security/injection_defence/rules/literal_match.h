// A literal of a rule set that was seen in a text.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_LITERAL_MATCH_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_LITERAL_MATCH_H_

#include <cstdint>
#include <vector>

namespace toolgate::security::injection_defence::rules {

// Bytes [start, end) of the text; `literal` is its number in the rule set.
struct LiteralMatch {
  uint32_t literal;
  uint32_t start;
  uint32_t end;
};

// Keeps `matches` ordered by end. The inserted match begins no earlier than the others, so that few are skipped.
inline void InsertByEnd(std::vector<LiteralMatch>& matches, const LiteralMatch& match) {
  auto place = matches.end();
  while (place != matches.begin() && (place - 1)->end > match.end) --place;
  matches.insert(place, match);
}

}  // namespace toolgate::security::injection_defence::rules

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_RULES_LITERAL_MATCH_H_
