#include "security/injection_defence/phrase_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::security::injection_defence {
namespace {

constexpr size_t kFilterBits = size_t{1} << 19;
constexpr size_t kRolePlaces = size_t{1} << 16;
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

absl::StatusOr<PhraseModel> PhraseModel::Parse(std::string_view file) {
  PhraseModel model;
  model.Reserve(static_cast<size_t>(std::count(file.begin(), file.end(), '\n')) + 1);
  for (size_t line = 1; !file.empty(); ++line) {
    const size_t end = std::min(file.find('\n'), file.size());
    const std::string_view text = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    // A comment; "#rule" is a feature.
    if (text.empty() || text.substr(0, 2) == "# ") continue;
    const size_t tab = text.find('\t');
    double value = 0;
    if (tab == 0 || tab == std::string_view::npos || !absl::SimpleAtod(ToAbsl(text.substr(tab + 1)), &value)) {
      return Bad(line, "a key, a tab and a number are expected");
    }
    const std::string_view key = text.substr(0, tab);
    if (key.back() == ':') {
      model.settings_[std::string(key.substr(0, key.size() - 1))] = value;
    } else {
      model.Add(ParsePhrase(key), static_cast<float>(value));
    }
  }
  return model;
}

double PhraseModel::setting(std::string_view name) const {
  const auto found = settings_.find(name);
  return found == settings_.end() ? 0 : found->second;
}

void PhraseModel::Reserve(size_t features) {
  // At most eight ninths of the places are used: the filter spares nearly all looks at what is not there.
  table_.resize(std::bit_ceil(features + features / 8 + 1));
  mask_ = table_.size() - 1;
  filter_.resize(kFilterBits / 64);
  roles_.resize(kRolePlaces);
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

void PhraseModel::Sum(const std::vector<PhraseToken>& tokens, const PhraseEvidence& evidence, const PhraseNames& names,
                      std::vector<double>& sums) const {
  thread_local RecentFeatures recent;
  recent.Clear();
  sums.assign(tokens.size() + 1, 0);
  ForEachPhrase(
      tokens, evidence, names, [&](uint64_t word) { return roles_[RolePlace(word)]; },
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
}

}  // namespace toolgate::security::injection_defence
