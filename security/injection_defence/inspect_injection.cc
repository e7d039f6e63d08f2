#include "security/injection_defence/inspect_injection.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/json.h"
#include "common/status_macros.h"

namespace toolgate::security::injection_defence {
namespace {

// A text to inspect may be a whole document, far larger than arguments may be.
constexpr size_t kMaxLineBytes = size_t{64} << 20;

}  // namespace

absl::StatusOr<std::string> InspectInjection(const Detector& detector, std::string_view line) {
  JsonLimits limits;
  limits.max_bytes = kMaxLineBytes;
  ASSIGN_OR_RETURN(const Json input, ParseJson(line, limits));
  if (!input.is_object() || !input.contains("text") || !input["text"].is_string()) {
    return absl::InvalidArgumentError("expected an object with a string \"text\"");
  }
  const Detection detection = detector.Detect(input["text"].get_ref<const std::string&>());
  Json findings = Json::array();
  for (const DetectedRule& finding : detection.findings) {
    findings.push_back({{"rule_id", std::string(finding.rule_id)},
                        {"family", std::string(finding.family)},
                        {"weight", finding.weight},
                        {"offset", finding.offset}});
  }
  Json unreadable = Json::array();
  for (const DetectedRule& reason : detection.unreadable) {
    unreadable.push_back({{"rule_id", std::string(reason.rule_id)}, {"offset", reason.offset}});
  }
  Json output = {{"flagged", detection.flagged}, {"score", detection.score}};
  output["findings"] = std::move(findings);
  // Absent for nearly all texts.
  if (!unreadable.empty()) output["unreadable"] = std::move(unreadable);
  return DumpJson(output);
}

}  // namespace toolgate::security::injection_defence
