#include "security/injection_defence/phrase_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::security::injection_defence {
namespace {

// Places in the table, a power of two; two thirds of them may be used.
constexpr size_t kTableSize = size_t{1} << 16;
constexpr size_t kFilterBits = size_t{1} << 19;
constexpr size_t kRolePlaces = size_t{1} << 16;
// No wording alone is surer than the surest rules.
constexpr double kMostWeight = 0.95;

// Where each feature was seen last. Two that share a place forget each other, which only makes a repetition count.
class RecentFeatures {
 public:
  // Forgets all.
  void Clear() { ++run_; }

  static constexpr uint32_t kNever = ~uint32_t{0};

  // The token at which `hash` was seen last, or kNever; from now on it is `token`.
  uint32_t Exchange(uint64_t hash, uint32_t token) {
    const Seen last = std::exchange(seen_[hash % kPlaces], {hash, run_, token});
    return last.hash == hash && last.run == run_ ? last.token : kNever;
  }

 private:
  struct Seen {
    uint64_t hash = 0;
    uint32_t run = 0;
    uint32_t token = 0;
  };
  static constexpr size_t kPlaces = 1024;

  std::array<Seen, kPlaces> seen_{};
  uint32_t run_ = 0;
};

// The roles of the parts of a feature.
std::array<uint8_t, 3> RolesIn(const Phrase& phrase) {
  namespace role = phrase_role;
  if (phrase.parts[1] == 0) return {role::kAlone, 0, 0};
  if (phrase.parts[2] != 0) return {role::kTripleFirst, role::kTripleMiddle, role::kTripleLast};
  if (phrase.kind == PhraseKind::kGap) return {role::kGapFirst, role::kGapLast, 0};
  return {role::kPairFirst, role::kPairLast, 0};
}

uint32_t CheckOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) | 1; }

absl::Status Bad(size_t line, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the phrase model's line ", line, ": ", ToAbsl(what)));
}

}  // namespace

absl::StatusOr<PhraseModel> PhraseModel::Parse(std::string_view file, const RuleSet& rules) {
  PhraseModel model;
  model.names_ = NamesOf(rules);
  model.table_.resize(kTableSize);
  model.mask_ = kTableSize - 1;
  model.filter_.resize(kFilterBits / 64);
  model.roles_.resize(kRolePlaces);
  size_t features = 0;
  for (size_t line = 1; !file.empty(); ++line) {
    const size_t end = std::min(file.find('\n'), file.size());
    const std::string_view text = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    // A comment; "#rule" is a feature.
    if (text.empty() || text.substr(0, 2) == "# ") continue;
    const size_t tab = text.find('\t');
    double value = 0;
    if (tab == std::string_view::npos || !absl::SimpleAtod(ToAbsl(text.substr(tab + 1)), &value)) {
      return Bad(line, "a key, a tab and a number are expected");
    }
    const std::string_view key = text.substr(0, tab);
    if (key == "bias:") {
      model.bias_ = value;
    } else if (key == "centre:") {
      model.centre_ = value;
    } else if (key == "scale:") {
      model.scale_ = value;
    } else if (++features * 3 > kTableSize * 2) {
      return Bad(line, "too many features");
    } else {
      model.Add(ParsePhrase(key), static_cast<float>(value));
    }
  }
  model.least_ = model.centre_ + std::log(kLeastWeight / (1 - kLeastWeight)) / model.scale_;
  return model;
}

size_t PhraseModel::RolePlace(uint64_t word) { return word >> 24 & (kRolePlaces - 1); }

void PhraseModel::Add(const Phrase& phrase, float weight) {
  if (weight == 0) return;
  const std::array<uint8_t, 3> roles = RolesIn(phrase);
  for (size_t i = 0; i < roles.size(); ++i) roles_[RolePlace(phrase.parts[i])] |= roles[i];
  const uint64_t hash = HashOfPhrase(phrase);
  const uint64_t bit = hash >> 20 & (kFilterBits - 1);
  filter_[bit / 64] |= uint64_t{1} << bit % 64;
  uint64_t place = hash & mask_;
  while (table_[place].weight != 0) place = (place + 1) & mask_;
  table_[place] = {CheckOf(hash), weight};
}

float PhraseModel::WeightOf(uint64_t hash) const {
  const uint64_t bit = hash >> 20 & (kFilterBits - 1);
  if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return 0;
  const uint32_t check = CheckOf(hash);
  for (uint64_t place = hash & mask_; table_[place].weight != 0; place = (place + 1) & mask_) {
    if (table_[place].check == check) return table_[place].weight;
  }
  return 0;
}

void PhraseModel::Score(std::string_view folded, const std::vector<Word>& words, const PhraseEvidence& evidence,
                        std::vector<PhraseScore>& scores) const {
  thread_local std::vector<PhraseToken> tokens;
  thread_local std::vector<PhraseWindow> windows;
  thread_local std::vector<double> sums;  // Of the weights of all tokens before.
  scores.clear();
  if (table_.empty()) return;
  ReadPhraseTokens(folded, words, tokens);
  FindPhraseWindows(tokens, windows);
  sums.assign(tokens.size() + 1, 0);
  thread_local RecentFeatures recent;
  recent.Clear();
  ForEachPhrase(
      tokens, evidence, names_, [&](uint64_t word) { return roles_[RolePlace(word)]; },
      [&](uint32_t token, PhraseKind kind, uint64_t first, uint64_t second, uint64_t third) {
        const uint64_t hash = HashOfPhrase(kind, first, second, third);
        const float weight = WeightOf(hash);
        if (weight == 0) return;
        const uint32_t last = recent.Exchange(hash, token);
        const bool repeated = last != RecentFeatures::kNever && token - last <= kRepeatWords &&
                              tokens[last].sentence == tokens[token].sentence;
        if (!repeated) sums[token + 1] += static_cast<double>(weight);
      });
  for (size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  for (const PhraseWindow& window : windows) {
    const double sum = bias_ + sums[window.end] - sums[window.begin];
    if (sum < least_) continue;
    const double weight = 1 / (1 + std::exp((centre_ - sum) * scale_));
    scores.push_back({tokens[window.begin].start, tokens[window.end - 1].end, std::min(weight, kMostWeight)});
  }
}

}  // namespace toolgate::security::injection_defence
