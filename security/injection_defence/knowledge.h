// What detection rests on: the rules, the models, and what is made of them so that both are found fast.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_KNOWLEDGE_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_KNOWLEDGE_H_

#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "security/injection_defence/matcher.h"
#include "security/injection_defence/rule_evaluator.h"
#include "security/injection_defence/rule_set.h"
#include "security/injection_defence/segmenter.h"
#include "security/injection_defence/wording.h"

namespace toolgate::security::injection_defence {

// No option of a detector changes it, so that detectors share it: a configuration that is read again costs none of its
// time and memory. Thread-safe.
class Knowledge {
 public:
  Knowledge(RuleSet rules, Wording wording);

  // That which is part of the program. The first call makes it, which takes some tens of milliseconds; calls meanwhile
  // wait. INVALID_ARGUMENT when the rules make no sense.
  static absl::StatusOr<std::shared_ptr<const Knowledge>> OfTheProgram();

  const RuleSet& rules() const { return rules_; }
  const Wording& wording() const { return wording_; }
  const RuleEvaluator& evaluator() const { return evaluator_; }
  const Matcher& matcher() const { return matcher_; }
  // Made when the first text needs it: few do.
  const Segmenter& segmenter() const;

 private:
  const RuleSet rules_;
  const Wording wording_;
  const RuleEvaluator evaluator_;
  const Matcher matcher_;
  mutable std::once_flag segmenter_made_;
  mutable std::unique_ptr<const Segmenter> segmenter_;
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_KNOWLEDGE_H_
