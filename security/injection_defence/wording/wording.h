// Likelihood that the wording in a place of a text is an attack's. It strengthens or doubts what rules and disguises
// say of the place, and never decides alone.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_WORDING_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_WORDING_H_

#include <array>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/wording/phrase_features.h"
#include "security/injection_defence/wording/phrase_model.h"
#include "security/injection_defence/wording/script.h"

namespace toolgate::security::injection_defence::wording {

// Bytes [start, end) of the folded text, and the likelihood of an attack in them: 0 to 1, on the scale of the rules'
// weights.
struct WordingScore {
  uint32_t start;
  uint32_t end;
  double weight;
};

// A linear model of one to three sentences and the passage around them, in which honest texts show their nature.
// Immutable, hence thread-safe.
class Wording {
 public:
  // Finds nothing in any text.
  Wording() = default;

  // The model's settings are its `bias`, how fast the likelihood changes with the sum (`scale`), and for each script
  // the sum at which it is one half (`centre.latin`, …; without one, the highest of all). A text of two scripts is
  // judged by the higher.
  Wording(PhraseModel model, const rules::RuleSet& rules);

  // The same from a file. INVALID_ARGUMENT names the line.
  static absl::StatusOr<Wording> Parse(std::string_view file, const rules::RuleSet& rules);

  bool knows_anything() const { return model_.knows_anything(); }

  // False for text whose words the model cannot tell apart, since nothing separates them: Thai.
  static bool CanRead(std::string_view text) { return !ScriptsOf(text)[static_cast<size_t>(Script::kThai)]; }

  // Less likely places are not reported.
  static constexpr double kLeastWeight = 0.1;

  // Replaces `scores` by the likeliest places, none for most texts. Linear in `folded`, a reading by Normaliser whose
  // words are `words`.
  void Score(std::string_view folded, const std::vector<text::Word>& words, const PhraseEvidence& evidence,
             std::vector<WordingScore>& scores) const;

  // Calls `take(start, end, sum)` for every place, with the sum of its weights before `centre` and `scale`: for tuning
  // those.
  void ForEachPlace(std::string_view folded, const std::vector<text::Word>& words, const PhraseEvidence& evidence,
                    absl::FunctionRef<void(uint32_t start, uint32_t end, double sum)> take) const;

 private:
  double CentreOf(std::string_view text) const;

  PhraseModel model_;
  PhraseNames names_;
  double bias_ = 0;
  double scale_ = 1;
  std::array<double, kScripts> centres_{};
  double lowest_centre_ = 0;
};

}  // namespace toolgate::security::injection_defence::wording

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_WORDING_H_
