// A linear model over words, word classes and rules: what each of them says for or against an attack.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_MODEL_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "security/injection_defence/phrase_features.h"

namespace toolgate::security::injection_defence {

// Immutable, hence thread-safe.
class PhraseModel {
 public:
  // A file of lines "key<TAB>value". Keys that end in ":" are settings; all others are features as phrase_features.h
  // writes them, with their weights; lines that begin with "# " say what it is. INVALID_ARGUMENT names the line.
  static absl::StatusOr<PhraseModel> Parse(std::string_view file);

  // False: it has learnt nothing.
  bool knows_anything() const { return !table_.empty(); }

  // The value of the setting, 0 when the file has none of that name.
  double setting(std::string_view name) const;

  // Replaces `sums`: place i is the sum of the weights of all features that end before token i, so that two places are
  // the ends of a window. Linear.
  void Sum(const std::vector<PhraseToken>& tokens, const PhraseEvidence& evidence, const PhraseNames& names,
           std::vector<double>& sums) const;

 private:
  // Open addressing; a weight of 0 is an empty place.
  struct Entry {
    uint32_t check = 0;
    float weight = 0;
  };

  void Reserve(size_t features);
  void Add(const Phrase& phrase, float weight);
  float WeightOf(uint64_t hash) const;
  static size_t RolePlace(uint64_t word);

  std::map<std::string, double, std::less<>> settings_;
  std::vector<Entry> table_;
  uint64_t mask_ = 0;
  // A Bloom filter of one bit each: nearly all of what a text holds is not in the table.
  std::vector<uint64_t> filter_;
  std::vector<uint8_t> roles_;  // By a hash of the word: see phrase_role. Words that share a place share their roles.
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_PHRASE_MODEL_H_
