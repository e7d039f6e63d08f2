// Features of a text for the models of wording: its words, short sequences of them, the word classes of the rules, and
// the rules that hold.
//
// A feature is written as its parts with blanks between them: "previous instructions". "*" means any one word, "^" the
// start of a sentence, "ignor~" a word with that beginning, "@name" a word of that class; "@a @b" are two of them
// within kNearWords words, and "@a .. @b" within kFarWords; "#id" is a rule that holds there, "#id?" one with an
// excuse.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_PHRASE_FEATURES_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_PHRASE_FEATURES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "security/injection_defence/rules/rule_evaluator.h"
#include "security/injection_defence/text/words.h"

namespace toolgate::security::injection_defence::wording {

// A word; in scripts that are written without blanks, a character; for a run of digits, "0".
struct PhraseToken {
  uint64_t hash;
  uint32_t start;
  uint32_t end;
  uint32_t sentence;  // Counted from the start of the text.
  uint64_t stem = 0;  // Of a long word, once it has been read.
};

// Reads the stem of every long word: its first kStemCharacters and "~". Linear.
void ReadPhraseStems(std::string_view folded, std::vector<PhraseToken>& tokens);
inline constexpr uint32_t kStemCharacters = 5;

// Tokens [begin, end): a run of sentences, or a piece of a long one.
struct TextWindow {
  uint32_t begin;
  uint32_t end;
};

// Reads the tokens of `folded`, a reading by Normaliser with these `words`; ASCII case is ignored. Replaces `tokens`.
void ReadPhraseTokens(std::string_view folded, const std::vector<text::Word>& words, std::vector<PhraseToken>& tokens);

// Sentences of a text with close context: every sentence, every two and three neighbouring ones that are short, and
// overlapping pieces of long ones. Linear in the tokens. Replaces `windows`.
void FindSentenceWindows(const std::vector<PhraseToken>& tokens, std::vector<TextWindow>& windows);

// Passages of a text: from every sentence on, as many as have at most kPassageWords words together, unless the previous
// passage contains them already; of longer sentences, overlapping pieces. Most short texts are one passage. Linear in
// the tokens. Replaces `windows`.
void FindPassageWindows(const std::vector<PhraseToken>& tokens, std::vector<TextWindow>& windows);
inline constexpr uint32_t kPassageWords = 60;

// Distance between the parts of a feature.
enum class PhraseKind : uint8_t { kAdjacent, kGap, kFar };

// A feature: the hashes of its parts (0: none), and the distance between them.
struct Phrase {
  PhraseKind kind = PhraseKind::kAdjacent;
  std::array<uint64_t, 3> parts{};
};

// Parses a feature written as above.
Phrase ParsePhrase(std::string_view written);

// One multiplication for each part after the first, because this is done several times for every word of every text.
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

inline uint64_t HashOfPhrase(const Phrase& phrase) {
  return HashOfPhrase(phrase.kind, phrase.parts[0], phrase.parts[1], phrase.parts[2]);
}

// Positions in features that a word occurs in, as bits: most words occur in few, so that most lookups can be skipped.
namespace phrase_role {
inline constexpr uint8_t kAlone = 1;
inline constexpr uint8_t kPairFirst = 2;
inline constexpr uint8_t kPairLast = 4;
inline constexpr uint8_t kGapFirst = 8;
inline constexpr uint8_t kGapLast = 16;
inline constexpr uint8_t kTripleFirst = 32;
inline constexpr uint8_t kTripleMiddle = 64;
inline constexpr uint8_t kTripleLast = 128;
inline constexpr uint8_t kEvery = 255;
}  // namespace phrase_role

inline constexpr uint32_t kNearWords = 4;
inline constexpr uint32_t kFarWords = 12;
// A feature that occurred within this many preceding words of the same sentence is not counted again: tables repeat
// themselves.
inline constexpr uint32_t kRepeatWords = 12;

// Classes and rules seen in a reading of a text. Borrows.
struct PhraseEvidence {
  const std::vector<rules::ClassSighting>& sightings;  // Ordered by end.
  const std::vector<rules::RuleMatch>& matches;
};

// The hashes of the parts that have names: of classes, of rules, and of rules with an excuse. 0: none.
struct PhraseNames {
  std::vector<uint64_t> classes;
  std::vector<uint64_t> rules;
  std::vector<uint64_t> excused_rules;
};
PhraseNames NamesOf(const rules::RuleSet& rules);

// ForEachPhrase for stems: emits its phrases again with stems instead of long words, if they contain one.
template <typename RolesOf, typename Emit>
void ForEachStemPhrase(const std::vector<PhraseToken>& tokens, RolesOf& roles_of, Emit& emit) {
  namespace role = phrase_role;
  struct Part {
    uint64_t hash = 0;  // 0: the sentence has none.
    uint8_t roles = 0;
    bool stem = false;
  };
  Part before;
  Part earlier;
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && tokens[i].sentence != tokens[i - 1].sentence) before = earlier = {};
    const bool stem = tokens[i].stem != 0;
    const uint64_t hash = stem ? tokens[i].stem : tokens[i].hash;
    const Part here = {hash, roles_of(hash), stem};
    if (stem && (here.roles & role::kAlone) != 0) emit(i, PhraseKind::kAdjacent, hash, uint64_t{0}, uint64_t{0});
    if (before.hash != 0 && (stem || before.stem) && (before.roles & role::kPairFirst) != 0 &&
        (here.roles & role::kPairLast) != 0) {
      emit(i, PhraseKind::kAdjacent, before.hash, hash, uint64_t{0});
    }
    if (earlier.hash != 0 && (stem || earlier.stem) && (earlier.roles & role::kGapFirst) != 0 &&
        (here.roles & role::kGapLast) != 0) {
      emit(i, PhraseKind::kGap, earlier.hash, hash, uint64_t{0});
    }
    if (earlier.hash != 0 && (stem || before.stem || earlier.stem) && (earlier.roles & role::kTripleFirst) != 0 &&
        (before.roles & role::kTripleMiddle) != 0 && (here.roles & role::kTripleLast) != 0) {
      emit(i, PhraseKind::kAdjacent, earlier.hash, before.hash, hash);
    }
    earlier = std::exchange(before, here);
  }
}

// Calls `emit(token, kind, first, second, third)` for every feature, with the hashes of its parts (0: none) and the
// number of its last token, except for words in positions that `roles_of(hash)` excludes. Linear.
template <typename RolesOf, typename Emit>
void ForEachPhrase(const std::vector<PhraseToken>& tokens, const PhraseEvidence& evidence, const PhraseNames& names,
                   RolesOf roles_of, Emit emit) {
  namespace role = phrase_role;
  struct Part {
    uint64_t hash;
    uint8_t roles;
  };
  static const uint64_t kStart = text::HashOfWord("^");
  static const uint64_t kNumber = text::HashOfWord("0");
  const Part start = {kStart, roles_of(kStart)};
  Part before = start;
  Part earlier = start;
  uint32_t sentence = 0;
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    const Part here = {tokens[i].hash, roles_of(tokens[i].hash)};
    const bool first = i == 0 || sentence != tokens[i].sentence;
    sentence = tokens[i].sentence;
    if (first) before = start;
    // Numbers alone are no evidence, and tables are full of them.
    const bool number = here.hash == kNumber;
    if (!number && (here.roles & role::kAlone) != 0) {
      emit(i, PhraseKind::kAdjacent, here.hash, uint64_t{0}, uint64_t{0});
    }
    if (!number || before.hash != kNumber) {
      if ((before.roles & role::kPairFirst) != 0 && (here.roles & role::kPairLast) != 0) {
        emit(i, PhraseKind::kAdjacent, before.hash, here.hash, uint64_t{0});
      }
      if (!first && (!number || earlier.hash != kNumber)) {
        if ((earlier.roles & role::kGapFirst) != 0 && (here.roles & role::kGapLast) != 0) {
          emit(i, PhraseKind::kGap, earlier.hash, here.hash, uint64_t{0});
        }
        if ((earlier.roles & role::kTripleFirst) != 0 && (before.roles & role::kTripleMiddle) != 0 &&
            (here.roles & role::kTripleLast) != 0) {
          emit(i, PhraseKind::kAdjacent, earlier.hash, before.hash, here.hash);
        }
      }
    }
    earlier = before;
    before = here;
  }
  ForEachStemPhrase(tokens, roles_of, emit);
  // The last classes seen, each with its token.
  constexpr uint32_t kMost = 8;
  struct Seen {
    uint32_t token, start, end;
    uint64_t hash;
  };
  Seen seen[kMost] = {};
  uint32_t count = 0;
  uint32_t token = 0;
  for (const rules::ClassSighting& sighting : evidence.sightings) {
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
  for (const rules::RuleMatch& match : evidence.matches) {
    const auto last = std::lower_bound(tokens.begin(), tokens.end(), match.end,
                                       [](const PhraseToken& t, uint32_t end) { return t.end < end; });
    if (last == tokens.end()) continue;
    const auto& hashes = match.excuse == rules::Excuse::kNone ? names.rules : names.excused_rules;
    emit(static_cast<uint32_t>(last - tokens.begin()), PhraseKind::kAdjacent, hashes[match.rule], uint64_t{0},
         uint64_t{0});
  }
}

}  // namespace toolgate::security::injection_defence::wording

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_PHRASE_FEATURES_H_
