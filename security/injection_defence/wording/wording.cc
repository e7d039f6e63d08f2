#include "security/injection_defence/wording/wording.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "common/status_macros.h"

namespace toolgate::security::injection_defence::wording {
namespace {

// Wording alone is at most as certain as the surest rules.
constexpr double kMostWeight = 0.95;
// A passage reduces the likelihood of a place in it by at most this much, which limits what an attacker gains from
// harmless words around an attack.
constexpr double kMostExcuse = 3;

// The passages of one text with their sums, computed on first use. Windows must be requested in the order of
// FindSentenceWindows.
class PassageWindows {
 public:
  // Reads the stems of `tokens`, which belong to `folded`.
  PassageWindows(const PhraseModel& model, std::string_view folded, std::vector<PhraseToken>& tokens,
                 const PhraseEvidence& evidence, const PhraseNames& names)
      : model_(model), folded_(folded), tokens_(tokens), evidence_(evidence), names_(names) {}

  // The highest sum of a passage with a token of `window`, or that of the window itself minus kMostExcuse.
  double HighestAround(const TextWindow& window) {
    if (!read_) Read();
    while (windows_[first_].end <= window.begin) ++first_;
    double highest = sums_[window.end] - sums_[window.begin] - kMostExcuse;
    for (size_t i = first_; i < windows_.size() && windows_[i].begin < window.end; ++i) {
      highest = std::max(highest, sums_[windows_[i].end] - sums_[windows_[i].begin]);
    }
    return highest;
  }

 private:
  void Read() {
    FindPassageWindows(tokens_, windows_);
    ReadPhraseStems(folded_, tokens_);
    model_.Sum(tokens_, evidence_, names_, sums_);
    read_ = true;
  }

  const PhraseModel& model_;
  const std::string_view folded_;
  std::vector<PhraseToken>& tokens_;
  const PhraseEvidence& evidence_;
  const PhraseNames& names_;
  bool read_ = false;
  std::vector<TextWindow> windows_;
  std::vector<double> sums_;
  size_t first_ = 0;  // Earlier ones have ended.
};

}  // namespace

Wording::Wording(PhraseModel sentences, PhraseModel passages, const rules::RuleSet& rules)
    : sentences_(std::move(sentences)),
      passages_(std::move(passages)),
      names_(NamesOf(rules)),
      sentence_bias_(sentences_.setting("bias")),
      passage_bias_(passages_.setting("bias")),
      gate_(sentences_.setting("gate")),
      centre_(sentences_.setting("centre")),
      scale_(sentences_.setting("scale")),
      least_(centre_ + std::log(kLeastWeight / (1 - kLeastWeight)) / scale_) {}

absl::StatusOr<Wording> Wording::Parse(std::string_view sentences, std::string_view passages,
                                       const rules::RuleSet& rules) {
  ASSIGN_OR_RETURN(PhraseModel of_sentences, PhraseModel::Parse(sentences));
  ASSIGN_OR_RETURN(PhraseModel of_passages, PhraseModel::Parse(passages));
  return Wording(std::move(of_sentences), std::move(of_passages), rules);
}

template <typename Take>
void Wording::ForEachPlace(std::string_view folded, const std::vector<text::Word>& words,
                           const PhraseEvidence& evidence, Take take) const {
  thread_local std::vector<PhraseToken> tokens;
  thread_local std::vector<TextWindow> windows;
  thread_local std::vector<double> sums;
  if (!knows_anything()) return;
  ReadPhraseTokens(folded, words, tokens);
  FindSentenceWindows(tokens, windows);
  sentences_.Sum(tokens, evidence, names_, sums);
  PassageWindows passages(passages_, folded, tokens, evidence, names_);
  for (const TextWindow& window : windows) {
    const double sum = sentence_bias_ + sums[window.end] - sums[window.begin];
    if (sum < gate_) continue;
    take(tokens[window.begin].start, tokens[window.end - 1].end, sum + passage_bias_ + passages.HighestAround(window));
  }
}

void Wording::Score(std::string_view folded, const std::vector<text::Word>& words, const PhraseEvidence& evidence,
                    std::vector<WordingScore>& scores) const {
  scores.clear();
  ForEachPlace(folded, words, evidence, [&](uint32_t start, uint32_t end, double sum) {
    if (sum < least_) return;
    const double weight = 1 / (1 + std::exp((centre_ - sum) * scale_));
    scores.push_back({start, end, std::min(weight, kMostWeight)});
  });
}

double Wording::HighestSum(std::string_view folded, const std::vector<text::Word>& words,
                           const PhraseEvidence& evidence) const {
  double highest = -std::numeric_limits<double>::infinity();
  ForEachPlace(folded, words, evidence, [&](uint32_t, uint32_t, double sum) { highest = std::max(highest, sum); });
  return highest;
}

}  // namespace toolgate::security::injection_defence::wording
