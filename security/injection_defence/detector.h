// Estimates whether a text tries to give instructions to a model.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTOR_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTOR_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "security/injection_defence/detection.h"
#include "security/injection_defence/models/detection_model.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/work_budget.h"

namespace toolgate::security::injection_defence {

// Options of config.v1.InjectionDefence.
struct DetectorOptions {
  double threshold;          // Above 0, at most 1.
  size_t max_decoded_bytes;  // Of all decoded readings of one window of a text together.
  int max_decode_depth;
};

// Reads a text in every way in which an instruction can hide in it (see readings.h), looks for the rules in each
// reading, asks the models of wording, and takes the highest score of any sentence, paragraph or window, so that
// harmless text around an attack does not dilute it. Linear in the text. Thread-safe.
class Detector {
 public:
  // Uses the rules and models that are part of the program. INVALID_ARGUMENT if they are malformed.
  static absl::StatusOr<std::unique_ptr<Detector>> Create(const DetectorOptions& options);

  // Uses the given rules, and no model.
  static absl::StatusOr<std::unique_ptr<Detector>> CreateWithRules(const DetectorOptions& options,
                                                                   rules::RuleSet rules);

  Detection Detect(std::string_view text, Effort effort = Effort::kAllReadings) const;

  const rules::RuleSet& rules() const { return model_->rules(); }
  double threshold() const { return options_.threshold; }

 private:
  Detector(const DetectorOptions& options, std::shared_ptr<const models::DetectionModel> model);

  const DetectorOptions options_;
  const std::shared_ptr<const models::DetectionModel> model_;
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DETECTOR_H_
