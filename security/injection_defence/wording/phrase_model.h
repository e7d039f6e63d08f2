// A linear model over words, word classes and rules, each of which has a weight for or against an attack.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_PHRASE_MODEL_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_PHRASE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "security/injection_defence/wording/phrase_features.h"

namespace toolgate::security::injection_defence::wording {

// A feature's weight, found by its hash; a weight of 0 is an empty place.
struct PhraseWeight {
  uint32_t check = 0;
  float weight = 0;
};

struct PhraseSetting {
  std::string_view name;
  double value = 0;
};

// Lookup tables of a model. Their layout is private to phrase_model.cc; phrase_model_packer.cc writes them as C++, so
// that the program contains them ready for use.
struct PhraseTables {
  std::span<const PhraseSetting> settings;
  std::span<const PhraseWeight> weights;
  std::span<const uint64_t> filter;
  std::span<const uint8_t> roles;
};

// Immutable, hence thread-safe.
class PhraseModel {
 public:
  // An untrained model.
  PhraseModel() = default;
  // Uses `tables`, which must outlive it. Takes no time.
  explicit PhraseModel(const PhraseTables& tables) : tables_(tables) {}

  // A file of lines "key<TAB>value". Keys that end in ":" are settings; all others are features as phrase_features.h
  // writes them, with their weights; lines that begin with "# " are comments. INVALID_ARGUMENT names the line.
  static absl::StatusOr<PhraseModel> Parse(std::string_view file);

  // False: untrained.
  bool knows_anything() const { return !tables_.weights.empty(); }

  // The value of the setting, 0 if the file has none of that name.
  double setting(std::string_view name) const;

  // Replaces `sums`: position i is the sum of the weights of all features that end before token i, so that the
  // difference of two positions is the sum of a window. Linear.
  void Sum(const std::vector<PhraseToken>& tokens, const PhraseEvidence& evidence, const PhraseNames& names,
           std::vector<double>& sums) const;

  const PhraseTables& tables() const { return tables_; }

 private:
  struct Parsed;

  float WeightOf(uint64_t hash) const;

  std::shared_ptr<const Parsed> parsed_;  // Owns the memory of `tables_`; null if the caller does.
  PhraseTables tables_;
};

}  // namespace toolgate::security::injection_defence::wording

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_WORDING_PHRASE_MODEL_H_
