// A linear model over words, word classes and rules: how likely a sentence tries to give a model instructions. It sees
// wordings that no rule names, and weighs together the rules that say little alone.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_MODEL_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "security/injection_defence/phrase_features.h"
#include "security/injection_defence/rule_set.h"

namespace toolgate::security::injection_defence {

// Bytes [start, end) of the folded text, and how likely they are an attack: 0 to 1, on the scale of the rules' weights.
struct PhraseScore {
  uint32_t start;
  uint32_t end;
  double weight;
};

// Immutable, hence thread-safe.
class PhraseModel {
 public:
  // Sees nothing in any text.
  PhraseModel() = default;

  // A file of lines "key<TAB>value": first the keys `bias`, `centre` and `scale`, then features as phrase_features.h
  // writes them with their weights; lines that begin with "#" say what it is. INVALID_ARGUMENT names the line.
  static absl::StatusOr<PhraseModel> Parse(std::string_view file, const RuleSet& rules);

  // False: it has learnt nothing, and sees nothing in any text.
  bool knows_anything() const { return !table_.empty(); }

  // Places less likely than this are not told of.
  static constexpr double kLeastWeight = 0.1;

  // Replaces `scores` by the likeliest places, none for most texts. Linear in `folded`, a reading by Normaliser whose
  // words are `words`.
  void Score(std::string_view folded, const std::vector<Word>& words, const PhraseEvidence& evidence,
             std::vector<PhraseScore>& scores) const;

 private:
  // Open addressing; a weight of 0 is an empty place.
  struct Entry {
    uint32_t check = 0;
    float weight = 0;
  };

  void Add(const Phrase& phrase, float weight);
  float WeightOf(uint64_t hash) const;
  static size_t RolePlace(uint64_t word);

  std::vector<Entry> table_;
  // A Bloom filter of one bit each: nearly all of what a text holds is not in the table.
  std::vector<uint64_t> filter_;
  std::vector<uint8_t> roles_;  // By a hash of the word: see phrase_role. Words that share a place share their roles.
  uint64_t mask_ = 0;
  PhraseNames names_;
  double bias_ = 0;
  double centre_ = 0;  // The sum at which the weight is one half,
  double scale_ = 1;   // … and how fast it rises there.
  double least_ = 0;   // The sum from which on a window is reported.
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_MODEL_H_
