// Rules and models of the detector, with the tables made of them so that both are found fast.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_MODELS_DETECTION_MODEL_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_MODELS_DETECTION_MODEL_H_

#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "security/injection_defence/rules/matcher.h"
#include "security/injection_defence/rules/rule_evaluator.h"
#include "security/injection_defence/rules/rule_set.h"
#include "security/injection_defence/text/segmenter.h"
#include "security/injection_defence/wording/wording.h"

namespace toolgate::security::injection_defence::models {

// No option of a detector changes it, so that detectors share it: a configuration that is read again costs none of its
// time and memory. Thread-safe.
class DetectionModel {
 public:
  DetectionModel(rules::RuleSet rules, wording::Wording wording);

  // The model that is part of the program. The first call makes it, which takes some tens of milliseconds; calls
  // meanwhile wait. INVALID_ARGUMENT when the rules make no sense.
  static absl::StatusOr<std::shared_ptr<const DetectionModel>> Embedded();

  const rules::RuleSet& rules() const { return rules_; }
  const wording::Wording& wording() const { return wording_; }
  const rules::RuleEvaluator& evaluator() const { return evaluator_; }
  const rules::Matcher& matcher() const { return matcher_; }
  // Made when the first text needs it: few do.
  const text::Segmenter& segmenter() const;

 private:
  const rules::RuleSet rules_;
  const wording::Wording wording_;
  const rules::RuleEvaluator evaluator_;
  const rules::Matcher matcher_;
  mutable std::once_flag segmenter_made_;
  mutable std::unique_ptr<const text::Segmenter> segmenter_;
};

}  // namespace toolgate::security::injection_defence::models

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_MODELS_DETECTION_MODEL_H_
