#include "security/injection_defence/wording/phrase_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <deque>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::security::injection_defence::wording {
namespace {

constexpr size_t kFilterBits = size_t{1} << 19;
constexpr size_t kRolePlaces = size_t{1} << 16;

// The last token of each feature. Two features in the same place overwrite each other, which only makes a repetition
// count.
class RecentFeatures {
 public:
  // Forgets all.
  void Clear() { ++run_; }

  static constexpr uint32_t kNever = ~uint32_t{0};

  // Returns the last token of `hash`, or kNever, and replaces it by `token`.
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
uint64_t FilterBit(uint64_t hash) { return hash >> 20 & (kFilterBits - 1); }
size_t RolePlace(uint64_t word) { return word >> 24 & (kRolePlaces - 1); }

absl::Status Bad(size_t line, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the phrase model's line ", line, ": ", ToAbsl(what)));
}

}  // namespace

// The tables of a file while they are filled.
struct PhraseModel::Parsed {
  explicit Parsed(size_t features)
      // At most eight ninths of the places are used: the filter avoids nearly all lookups of missing features.
      : weights(std::bit_ceil(features + features / 8 + 1)), filter(kFilterBits / 64), roles(kRolePlaces) {}

  void Add(const Phrase& phrase, float weight) {
    if (weight == 0) return;
    const std::array<uint8_t, 3> in = RolesIn(phrase);
    for (size_t i = 0; i < in.size(); ++i) roles[RolePlace(phrase.parts[i])] |= in[i];
    const uint64_t hash = HashOfPhrase(phrase);
    const uint64_t bit = FilterBit(hash);
    filter[bit / 64] |= uint64_t{1} << bit % 64;
    const uint64_t mask = weights.size() - 1;
    uint64_t place = hash & mask;
    while (weights[place].weight != 0) place = (place + 1) & mask;
    weights[place] = {CheckOf(hash), weight};
  }

  void Set(std::string_view name, double value) {
    names.emplace_back(name);
    settings.push_back({names.back(), value});
  }

  std::deque<std::string> names;  // Of the settings; their addresses are stable.
  std::vector<PhraseSetting> settings;
  std::vector<PhraseWeight> weights;  // Open addressing.
  // A Bloom filter with one hash: nearly all features of a text are not in the table.
  std::vector<uint64_t> filter;
  std::vector<uint8_t> roles;  // By a hash of the word: see phrase_role. Words in the same place share their roles.
};

absl::StatusOr<PhraseModel> PhraseModel::Parse(std::string_view file) {
  const auto parsed = std::make_shared<Parsed>(static_cast<size_t>(std::count(file.begin(), file.end(), '\n')) + 1);
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
      parsed->Set(key.substr(0, key.size() - 1), value);
    } else {
      parsed->Add(ParsePhrase(key), static_cast<float>(value));
    }
  }
  PhraseModel model(PhraseTables{parsed->settings, parsed->weights, parsed->filter, parsed->roles});
  model.parsed_ = parsed;
  return model;
}

double PhraseModel::setting(std::string_view name) const {
  for (const PhraseSetting& setting : tables_.settings) {
    if (setting.name == name) return setting.value;
  }
  return 0;
}

float PhraseModel::WeightOf(uint64_t hash) const {
  const uint64_t bit = FilterBit(hash);
  if ((tables_.filter[bit / 64] >> bit % 64 & 1) == 0) return 0;
  const std::span<const PhraseWeight> weights = tables_.weights;
  const uint64_t mask = weights.size() - 1;
  const uint32_t check = CheckOf(hash);
  for (uint64_t place = hash & mask; weights[place].weight != 0; place = (place + 1) & mask) {
    if (weights[place].check == check) return weights[place].weight;
  }
  return 0;
}

void PhraseModel::Sum(const std::vector<PhraseToken>& tokens, const PhraseEvidence& evidence, const PhraseNames& names,
                      std::vector<double>& sums) const {
  thread_local RecentFeatures recent;
  recent.Clear();
  sums.assign(tokens.size() + 1, 0);
  ForEachPhrase(
      tokens, evidence, names, [&](uint64_t word) { return tables_.roles[RolePlace(word)]; },
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

}  // namespace toolgate::security::injection_defence::wording
