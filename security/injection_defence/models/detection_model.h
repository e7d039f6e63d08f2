// Rules and models of the detector, with the tables that make lookups fast.
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

// Does not depend on a detector's options, so detectors share it: reloading a configuration does not cost its time and
// memory again. Thread-safe.
class DetectionModel {
 public:
  DetectionModel(rules::RuleSet rules, wording::Wording wording);

  // The model that is part of the program. The first call builds it, which takes some tens of milliseconds; concurrent
  // calls wait. INVALID_ARGUMENT if the rules are malformed.
  static absl::StatusOr<std::shared_ptr<const DetectionModel>> Embedded();

  const rules::RuleSet& rules() const { return rules_; }
  const wording::Wording& wording() const { return wording_; }
  const rules::RuleEvaluator& evaluator() const { return evaluator_; }
  const rules::Matcher& matcher() const { return matcher_; }
  // Built when the first text needs it: few do.
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
