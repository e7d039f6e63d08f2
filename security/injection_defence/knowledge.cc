#include "security/injection_defence/knowledge.h"

#include <utility>

#include "common/status_macros.h"
#include "security/injection_defence/injection_rules.h"
#include "security/injection_defence/phrase_model.h"
#include "security/injection_defence/wording_tables.h"

namespace toolgate::security::injection_defence {
namespace {

absl::StatusOr<std::shared_ptr<const Knowledge>> Make() {
  ASSIGN_OR_RETURN(RuleSet rules, RuleSet::Parse(InjectionRuleFiles()));
  Wording wording(PhraseModel(sentence::Tables()), PhraseModel(passage::Tables()), rules);
  return std::make_shared<const Knowledge>(std::move(rules), std::move(wording));
}

}  // namespace

Knowledge::Knowledge(RuleSet rules, Wording wording)
    : rules_(std::move(rules)), wording_(std::move(wording)), evaluator_(rules_), matcher_(rules_) {}

absl::StatusOr<std::shared_ptr<const Knowledge>> Knowledge::OfTheProgram() {
  static const auto* const made = new absl::StatusOr<std::shared_ptr<const Knowledge>>(Make());
  return *made;
}

const Segmenter& Knowledge::segmenter() const {
  std::call_once(segmenter_made_, [&] { segmenter_ = std::make_unique<const Segmenter>(rules_.Vocabulary()); });
  return *segmenter_;
}

}  // namespace toolgate::security::injection_defence
