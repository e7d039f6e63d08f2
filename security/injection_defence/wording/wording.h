// Likelihood that the wording in a place of a text is an attack's. It recognises wordings that no rule names, and
// combines rules that are weak evidence alone.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_WORDING_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_WORDING_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/wording/phrase_features.h"
#include "security/injection_defence/wording/phrase_model.h"

namespace toolgate::security::injection_defence::wording {

// Bytes [start, end) of the folded text, and the likelihood of an attack in them: 0 to 1, on the scale of the rules'
// weights.
struct WordingScore {
  uint32_t start;
  uint32_t end;
  double weight;
};

// Two linear models: the first examines one to three sentences, and finds little in nearly all texts; if it finds
// something, the second examines the passage around it, in which honest texts show their nature. Immutable, hence
// thread-safe.
class Wording {
 public:
  // Finds nothing in any text.
  Wording() = default;

  // The first model's settings are the sum at which both together mean a likelihood of one half (`centre`), how fast it
  // changes (`scale`), and the sum from which on the second is used (`gate`); both have a `bias`.
  Wording(PhraseModel sentences, PhraseModel passages, const rules::RuleSet& rules);

  // The same from two files. INVALID_ARGUMENT names the line.
  static absl::StatusOr<Wording> Parse(std::string_view sentences, std::string_view passages,
                                       const rules::RuleSet& rules);

  bool knows_anything() const { return sentences_.knows_anything(); }

  // Less likely places are not reported.
  static constexpr double kLeastWeight = 0.1;

  // Replaces `scores` by the likeliest places, none for most texts. Linear in `folded`, a reading by Normaliser whose
  // words are `words`.
  void Score(std::string_view folded, const std::vector<text::Word>& words, const PhraseEvidence& evidence,
             std::vector<WordingScore>& scores) const;

  // The highest sum of both models for any place, before `centre` and `scale`: for tuning those. If the first stays
  // below the gate, a value below all others.
  double HighestSum(std::string_view folded, const std::vector<text::Word>& words,
                    const PhraseEvidence& evidence) const;

 private:
  // Calls `take(start, end, sum)` for the places that pass the gate.
  template <typename Take>
  void ForEachPlace(std::string_view folded, const std::vector<text::Word>& words, const PhraseEvidence& evidence,
                    Take take) const;

  PhraseModel sentences_;
  PhraseModel passages_;
  PhraseNames names_;
  double sentence_bias_ = 0;
  double passage_bias_ = 0;
  double gate_ = 0;
  double centre_ = 0;
  double scale_ = 1;
  double least_ = 0;  // The sum from which on a place is reported.
};

}  // namespace toolgate::security::injection_defence::wording

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_WORDING_H_
