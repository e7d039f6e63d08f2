// What the scoring model sees of a text: its words, short sequences of them, the word classes of the rules,
// and the rules that hold.
//
// A feature is written as its parts with blanks between them: "previous instructions". "*" stands for any one word, "^"
// for the start of a sentence, "@name" for a word of that class; "@a @b" are two of them within kNearWords words, and
// "@a .. @b" within kFarWords; "#id" is a rule that holds there, "#id?" one with an excuse.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_FEATURES_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_FEATURES_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "security/injection_defence/rule_evaluator.h"

namespace toolgate::security::injection_defence {

// A word; in scripts that are written without blanks, a character; for a run of digits, "0".
struct PhraseToken {
  uint64_t hash;
  uint32_t start;
  uint32_t end;
  uint32_t sentence;  // Counted from the start of the text.
};

// Tokens [begin, end): a run of sentences, or a piece of a long one.
struct PhraseWindow {
  uint32_t begin;
  uint32_t end;
};

// The words of `folded`, a reading by Normaliser; ASCII case is ignored. Replaces `tokens`.
void ReadPhraseTokens(std::string_view folded, std::vector<PhraseToken>& tokens);

// What is judged as one: every sentence, every two and three neighbouring ones that are short, and overlapping pieces
// of long ones. Linear in the tokens. Replaces `windows`.
void FindPhraseWindows(const std::vector<PhraseToken>& tokens, std::vector<PhraseWindow>& windows);

// How the parts of a feature stand to each other.
enum class PhraseKind : uint8_t { kAdjacent, kGap, kFar };

// FNV-1a, 64 bits (www.isthe.com/chongo/tech/comp/fnv).
uint64_t HashOfPhrasePart(std::string_view part);

// One multiplication for each part after the first: this is done several times for every word of every text.
inline uint64_t HashOfPhrase(PhraseKind kind, uint64_t first, uint64_t second = 0, uint64_t third = 0) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  if (second == 0) return first;
  const int shift = kind == PhraseKind::kAdjacent ? 23 : kind == PhraseKind::kGap ? 31 : 43;
  uint64_t hash = ((first << shift | first >> (64 - shift)) ^ second) * kMultiplier;
  hash ^= hash >> 32;
  if (third == 0) return hash;
  hash = ((hash << 17 | hash >> 47) ^ third) * kMultiplier;
  return hash ^ hash >> 32;
}

// The hash of a feature as it is written above.
uint64_t HashOfPhrase(std::string_view written);

inline constexpr uint32_t kNearWords = 4;
inline constexpr uint32_t kFarWords = 12;
// A feature that stood within so many words before in the same sentence counts no second time: tables repeat
// themselves.
inline constexpr uint32_t kRepeatWords = 12;

// What a reading of a text holds. Borrows.
struct PhraseEvidence {
  const std::vector<ClassSighting>& sightings;  // Ordered by end.
  const std::vector<RuleMatch>& matches;
};

// The hashes of the parts that have names: of classes, of rules, and of rules with an excuse. 0: none.
struct PhraseNames {
  std::vector<uint64_t> classes;
  std::vector<uint64_t> rules;
  std::vector<uint64_t> excused_rules;
};
PhraseNames NamesOf(const RuleSet& rules);

// Calls `emit(token, kind, first, second, third)` for every feature with the hashes of its parts (0: none) and the
// number of the token that ends it. Linear.
template <typename Emit>
void ForEachPhrase(const std::vector<PhraseToken>& tokens, const PhraseEvidence& evidence, const PhraseNames& names,
                   Emit emit) {
  static const uint64_t kStart = HashOfPhrasePart("^");
  static const uint64_t kNumber = HashOfPhrasePart("0");
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    // Numbers alone say nothing, and tables are full of them.
    const bool number = tokens[i].hash == kNumber;
    const bool first = i == 0 || tokens[i - 1].sentence != tokens[i].sentence;
    const bool second = !first && (i == 1 || tokens[i - 2].sentence != tokens[i].sentence);
    const uint64_t before = first ? kStart : tokens[i - 1].hash;
    if (!number) emit(i, PhraseKind::kAdjacent, tokens[i].hash, uint64_t{0}, uint64_t{0});
    if (number && before == kNumber) continue;
    emit(i, PhraseKind::kAdjacent, before, tokens[i].hash, uint64_t{0});
    if (first) continue;
    const uint64_t earlier = second ? kStart : tokens[i - 2].hash;
    if (number && earlier == kNumber) continue;
    emit(i, PhraseKind::kGap, earlier, tokens[i].hash, uint64_t{0});
    emit(i, PhraseKind::kAdjacent, earlier, before, tokens[i].hash);
  }
  // The classes seen last, each with its token.
  constexpr uint32_t kMost = 8;
  struct Seen {
    uint32_t token, start, end;
    uint64_t hash;
  };
  Seen seen[kMost] = {};
  uint32_t count = 0;
  uint32_t token = 0;
  for (const ClassSighting& sighting : evidence.sightings) {
    const uint64_t hash = names.classes[sighting.cls];
    if (hash == 0) continue;
    while (token < tokens.size() && tokens[token].end < sighting.end) ++token;
    if (token == tokens.size()) break;
    if (tokens[token].start >= sighting.end) continue;  // Punctuation only.
    emit(token, PhraseKind::kAdjacent, hash, uint64_t{0}, uint64_t{0});
    for (uint32_t s = count > kMost ? count - kMost : 0; s < count; ++s) {
      const Seen& other = seen[s % kMost];
      if (tokens[other.token].sentence != tokens[token].sentence || other.end > sighting.start) continue;
      const uint32_t distance = token - other.token;
      if (distance > kFarWords) continue;
      emit(token, distance <= kNearWords ? PhraseKind::kAdjacent : PhraseKind::kFar, other.hash, hash, uint64_t{0});
    }
    seen[count++ % kMost] = {token, sighting.start, sighting.end, hash};
  }
  for (const RuleMatch& match : evidence.matches) {
    const auto last = std::lower_bound(tokens.begin(), tokens.end(), match.end,
                                       [](const PhraseToken& t, uint32_t end) { return t.end < end; });
    if (last == tokens.end()) continue;
    const auto& hashes = match.excuse == Excuse::kNone ? names.rules : names.excused_rules;
    emit(static_cast<uint32_t>(last - tokens.begin()), PhraseKind::kAdjacent, hashes[match.rule], uint64_t{0},
         uint64_t{0});
  }
}

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_FEATURES_H_
