#include "security/injection_defence/wording/wording.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::security::injection_defence::wording {
namespace {

// Wording is at most as certain as the surest rules.
constexpr double kMostWeight = 0.95;
// A passage reduces the likelihood of a place in it by at most this much, which limits what an attacker gains from
// harmless words around an attack.
constexpr double kMostExcuse = 3;

// The passages of a text. Windows must be requested in the order of FindSentenceWindows.
class PassageWindows {
 public:
  PassageWindows(const std::vector<PhraseToken>& tokens, const std::vector<double>& sums) : sums_(sums) {
    FindPassageWindows(tokens, windows_);
  }

  // The highest sum of a passage with a token of `window`, or that of the window itself minus kMostExcuse.
  double HighestAround(const TextWindow& window) {
    while (windows_[first_].end <= window.begin) ++first_;
    double highest = SumOf(window) - kMostExcuse;
    for (size_t i = first_; i < windows_.size() && windows_[i].begin < window.end; ++i) {
      highest = std::max(highest, SumOf(windows_[i]));
    }
    return highest;
  }

 private:
  double SumOf(const TextWindow& window) const { return sums_[window.end] - sums_[window.begin]; }

  const std::vector<double>& sums_;
  std::vector<TextWindow> windows_;
  size_t first_ = 0;  // Earlier ones have ended.
};

}  // namespace

Wording::Wording(PhraseModel model, const rules::RuleSet& rules)
    : model_(std::move(model)), names_(NamesOf(rules)), bias_(model_.setting("bias")), scale_(model_.setting("scale")) {
  double highest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < kScripts; ++i) {
    centres_[i] = model_.setting(absl::StrCat("centre.", ToAbsl(kScriptNames[i])));
    if (centres_[i] != 0) highest = std::max(highest, centres_[i]);
  }
  if (std::isinf(highest)) highest = 0;
  for (double& centre : centres_) centre = centre == 0 ? highest : centre;
  lowest_centre_ = *std::min_element(centres_.begin(), centres_.end());
}

absl::StatusOr<Wording> Wording::Parse(std::string_view file, const rules::RuleSet& rules) {
  ASSIGN_OR_RETURN(PhraseModel model, PhraseModel::Parse(file));
  return Wording(std::move(model), rules);
}

double Wording::CentreOf(std::string_view text) const {
  const std::array<bool, kScripts> scripts = ScriptsOf(text);
  double highest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < kScripts; ++i) {
    if (scripts[i]) highest = std::max(highest, centres_[i]);
  }
  return highest;
}

void Wording::ForEachPlace(std::string_view folded, const std::vector<text::Word>& words,
                           const PhraseEvidence& evidence,
                           absl::FunctionRef<void(uint32_t start, uint32_t end, double sum)> take) const {
  thread_local std::vector<PhraseToken> tokens;
  thread_local std::vector<TextWindow> windows;
  thread_local std::vector<double> sums;
  if (!knows_anything()) return;
  ReadPhraseTokens(folded, words, tokens);
  ReadPhraseStems(folded, tokens);
  FindSentenceWindows(tokens, windows);
  model_.Sum(tokens, evidence, names_, sums);
  PassageWindows passages(tokens, sums);
  for (const TextWindow& window : windows) {
    take(tokens[window.begin].start, tokens[window.end - 1].end, bias_ + passages.HighestAround(window));
  }
}

void Wording::Score(std::string_view folded, const std::vector<text::Word>& words, const PhraseEvidence& evidence,
                    std::vector<WordingScore>& scores) const {
  scores.clear();
  const double least = std::log(kLeastWeight / (1 - kLeastWeight)) / scale_;
  ForEachPlace(folded, words, evidence, [&](uint32_t start, uint32_t end, double sum) {
    if (sum < lowest_centre_ + least) return;
    const double above = sum - CentreOf(folded.substr(start, end - start));
    if (above < least) return;
    scores.push_back({start, end, std::min(1 / (1 + std::exp(-above * scale_)), kMostWeight)});
  });
}

}  // namespace toolgate::security::injection_defence::wording
