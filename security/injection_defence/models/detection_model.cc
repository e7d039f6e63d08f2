#include "security/injection_defence/models/detection_model.h"

#include <utility>

#include "common/status_macros.h"
#include "security/injection_defence/models/wording_tables.h"
#include "security/injection_defence/rules/injection_rules.h"
#include "security/injection_defence/wording/phrase_model.h"

namespace toolgate::security::injection_defence::models {
namespace {

absl::StatusOr<std::shared_ptr<const DetectionModel>> Make() {
  ASSIGN_OR_RETURN(rules::RuleSet rules, rules::RuleSet::Parse(rules::InjectionRuleFiles()));
  wording::Wording wording(wording::PhraseModel(released::Tables()), rules);
  return std::make_shared<const DetectionModel>(std::move(rules), std::move(wording));
}

}  // namespace

DetectionModel::DetectionModel(rules::RuleSet rules, wording::Wording wording)
    : rules_(std::move(rules)), wording_(std::move(wording)), evaluator_(rules_), matcher_(rules_) {}

absl::StatusOr<std::shared_ptr<const DetectionModel>> DetectionModel::Embedded() {
  static const auto* const made = new absl::StatusOr<std::shared_ptr<const DetectionModel>>(Make());
  return *made;
}

const text::Segmenter& DetectionModel::segmenter() const {
  std::call_once(segmenter_made_, [&] { segmenter_ = std::make_unique<const text::Segmenter>(rules_.Vocabulary()); });
  return *segmenter_;
}

}  // namespace toolgate::security::injection_defence::models
