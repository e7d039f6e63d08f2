// Layer 1: keeps texts that try to give instructions away from models, and records them elsewhere.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_INJECTION_DEFENCE_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_INJECTION_DEFENCE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/yaml/config_rules.h"
#include "executors/tool.h"
#include "observability/finding.h"
#include "security/injection_defence/detector.h"
#include "security/injection_defence/field_policy.h"
#include "security/layer.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::injection_defence {

DetectorOptions DetectorOptionsOf(const config::v1::InjectionDefence& config);

// Reports impossible settings, its ranges excepted (CheckRanges): actions that are not written, and tools
// and arguments that do not exist.
void CheckInjectionDefence(const std::vector<executors::Tool>& tools, const config::v1::InjectionDefence& config,
                           yaml::ReportProblem report);

// Detects, validates the mode hint, then sanitises, in that order, so that what a sanitiser would take out still counts
// as evidence. What happens to each argument is said by annotations in the tool's schema (see FieldPolicy).
//
// The operator says the consequence of a finding, by tool and argument: it is recorded, or a person is asked (by the
// confirmation step, which sees it in CallState::findings), or the call is refused. A text that cannot be read in every
// way (Detection::unreadable) is refused where an attack would be, and recorded elsewhere.
//
// Errors: INJECTION_DETECTED, naming the argument and the family of the strongest rule and never the text;
// INVALID_PARAMS for an invalid mode hint, text or key. Thread-safe.
class InjectionDefence final : public Layer {
 public:
  // INVALID_ARGUMENT when a tool's annotations make no sense, or with the first problem of CheckRanges
  // (common/yaml/config_rules.h).
  static absl::StatusOr<std::unique_ptr<InjectionDefence>> Create(const std::vector<executors::Tool>& tools,
                                                                  const config::v1::InjectionDefence& config);

  std::string_view name() const override { return "injection_defence"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

  // For scanning the results of tools.
  const Detector& detector() const { return *detector_; }

 private:
  explicit InjectionDefence(std::unique_ptr<Detector> detector) : detector_(std::move(detector)) {}

  // How a tool's arguments are treated.
  struct ToolPolicy {
    FieldPolicy fields;
    observability::FindingAction on_block = observability::FindingAction::kRefuse;
    observability::FindingAction on_flag = observability::FindingAction::kRecord;
    std::map<std::string, observability::FindingAction> by_argument;

    observability::FindingAction ActionOn(const FieldPolicy::Text& field) const;
  };
  static ToolPolicy PolicyOf(const executors::Tool& tool, const config::v1::InjectionDefence& config,
                             FieldPolicy fields);

  struct Replacement {
    std::string pointer;
    std::string text;
  };

  // Changes and reasons for refusal found by sanitising.
  struct Sanitising {
    std::vector<Replacement> replacements;
    std::vector<Violation> violations;
  };

  absl::Status Detect(const FieldPolicy::Text& field, ToolCall& call) const;
  static void Sanitise(const FieldPolicy::Text& field, Sanitising& sanitising);

  const std::unique_ptr<Detector> detector_;
  std::vector<ToolPolicy> policies_;  // By Tool::index.
};

// INVALID_PARAMS unless `hint` is empty or one of auto, artifact, image, search, chat.
absl::Status ValidateModeHint(std::string_view hint);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_INJECTION_DEFENCE_H_
