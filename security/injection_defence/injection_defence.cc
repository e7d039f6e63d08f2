#include "security/injection_defence/injection_defence.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "common/yaml/config_rules.h"
#include "common/yaml/yaml_proto.h"
#include "observability/finding.h"
#include "security/config_check.h"
#include "security/injection_defence/disguise.h"
#include "security/injection_defence/sanitiser.h"
#include "security/injection_defence/text/shape.h"

namespace toolgate::security::injection_defence {
namespace {

using observability::FindingAction;

// The most findings of one argument that are written into the audit log.
constexpr size_t kMaxFindingsPerText = 16;

// Maximum length of a shown place in the arguments: keys come from the caller.
constexpr size_t kMaxShownPath = 200;

std::string Shown(const std::string& path) {
  if (path.size() <= kMaxShownPath) return path;
  size_t end = kMaxShownPath;
  while (end > 0 && (static_cast<unsigned char>(path[end]) & 0xC0) == 0x80) --end;
  return absl::StrCat(path.substr(0, end), "…");
}

absl::Status Refusal(const std::string& path, const Detection& detection) {
  // A rule is more specific than the wording.
  const auto rank = [](const DetectedRule& finding) { return std::pair(finding.family != "wording", finding.weight); };
  const auto strongest =
      std::max_element(detection.findings.begin(), detection.findings.end(),
                       [&](const DetectedRule& a, const DetectedRule& b) { return rank(a) < rank(b); });
  ToolError error;
  error.code = ErrorCode::kInjectionDetected;
  error.message = absl::StrCat("the argument ", path, " reads like an attempt to instruct a model (",
                               ToAbsl(strongest->family), ")");
  error.facts.emplace_back("path", path);
  error.facts.emplace_back("family", std::string(strongest->family));
  return ToStatus(error);
}

absl::Status UnreadableRefusal(const std::string& path) {
  ToolError error;
  error.code = ErrorCode::kInjectionDetected;
  error.message = absl::StrCat("the argument ", path, " cannot be read well enough to be passed on to a model: it is ",
                               "binary data, or encoded in too many ways; write it as plain text");
  error.facts.emplace_back("path", path);
  error.facts.emplace_back("family", std::string(kBinary.family));
  return ToStatus(error);
}

// Keys appear in messages and pointers, so a key that attacks is refused without being shown: its parent is named.
std::string PointerTo(const FieldPolicy::Text& field) {
  return JsonPointer(field.is_key ? field.place->parent : field.place);
}

bool HasControlCharacter(std::string_view key) {
  return std::any_of(key.begin(), key.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

FindingAction ActionOf(config::v1::FindingAction action) {
  switch (action) {
    case config::v1::FINDING_ACTION_RECORD:
      return FindingAction::kRecord;
    case config::v1::FINDING_ACTION_ASK:
      return FindingAction::kAsk;
    default:
      return FindingAction::kRefuse;
  }
}

bool IsWritten(config::v1::FindingAction action) { return action != config::v1::FINDING_ACTION_UNSPECIFIED; }

// The name of the argument that holds `place`; empty for the arguments as a whole.
std::string_view ArgumentOf(const JsonPlace* place) {
  std::string_view name;
  for (; place != nullptr; place = place->parent) name = place->key;
  return name;
}

void CheckArgument(std::string_view path, const std::string& name, const executors::Tool& tool,
                   yaml::ReportProblem report) {
  const Json& schema = tool.definition.argument_schema;
  const auto properties = schema.find("properties");
  std::vector<std::string_view> names;
  if (properties != schema.end() && properties->is_object()) {
    for (const auto& [known, unused] : properties->get_ref<const Json::object_t&>()) names.push_back(known);
  }
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  report(path, absl::StrCat(tool.definition.id, " has no argument ", Quoted(name), Suggestion(name, names)));
}

absl::Status InvalidParams(std::vector<Violation> violations) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("the argument ", violations.front().path, " cannot be accepted: expected ",
                               violations.front().expected);
  error.violations = std::move(violations);
  return ToStatus(error);
}

}  // namespace

absl::Status ValidateModeHint(std::string_view hint) {
  constexpr std::array<std::string_view, 6> kHints = {"", "auto", "artifact", "image", "search", "chat"};
  if (std::find(kHints.begin(), kHints.end(), hint) != kHints.end()) return absl::OkStatus();
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = "the mode hint must be one of auto, artifact, image, search, chat";
  error.violations.push_back(
      {"/caller/mode_hint", "enum", "one of auto, artifact, image, search, chat", "another string"});
  return ToStatus(error);
}

DetectorOptions DetectorOptionsOf(const config::v1::InjectionDefence& config) {
  return {.threshold = config.threshold(),
          .max_decoded_bytes = static_cast<size_t>(config.max_decoded_bytes()),
          .max_decode_depth = config.max_decode_depth()};
}

void CheckInjectionDefence(const std::vector<executors::Tool>& tools, const config::v1::InjectionDefence& config,
                           yaml::ReportProblem report) {
  const auto check = [&](std::string_view path, config::v1::FindingAction action) {
    if (!IsWritten(action)) report(path, "must be RECORD, ASK or REFUSE");
  };
  check("injection_defence.prompts", config.prompts());
  check("injection_defence.remembered", config.remembered());
  check("injection_defence.outward", config.outward());
  check("injection_defence.stored", config.stored());
  for (const auto& [id, findings] : Sorted(config.tools())) {
    const std::string path = yaml::YamlPathOfKey("injection_defence.tools", id);
    const executors::Tool* const tool = CheckTool(path, id, tools, report);
    for (const auto& [name, action] : Sorted(findings.fields())) {
      const std::string field = yaml::YamlPathOfKey(absl::StrCat(path, ".fields"), name);
      check(field, action);
      if (tool != nullptr) CheckArgument(field, name, *tool, report);
    }
  }
}

absl::StatusOr<std::unique_ptr<InjectionDefence>> InjectionDefence::Create(const std::vector<executors::Tool>& tools,
                                                                           const config::v1::InjectionDefence& config) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) {
    yaml::CheckRanges(config, "injection_defence", report);
    CheckInjectionDefence(tools, config, report);
  }));
  ASSIGN_OR_RETURN(std::unique_ptr<Detector> detector, Detector::Create(DetectorOptionsOf(config)));
  std::unique_ptr<InjectionDefence> layer(new InjectionDefence(std::move(detector)));
  for (const executors::Tool& tool : tools) {
    absl::StatusOr<FieldPolicy> fields = FieldPolicy::Compile(tool.definition.argument_schema);
    if (!fields.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument schema of ", tool.definition.id, ": ", fields.status().message()));
    }
    if (layer->policies_.size() <= tool.index) layer->policies_.resize(tool.index + 1);
    layer->policies_[tool.index] = PolicyOf(tool, config, *std::move(fields));
  }
  return layer;
}

InjectionDefence::ToolPolicy InjectionDefence::PolicyOf(const executors::Tool& tool,
                                                        const config::v1::InjectionDefence& config,
                                                        FieldPolicy fields) {
  ToolPolicy policy;
  policy.fields = std::move(fields);
  if (config.enforcement() == config::v1::ENFORCEMENT_REPORT) {
    policy.on_block = FindingAction::kRecord;
    return policy;
  }
  const executors::Annotations& annotations = tool.definition.annotations;
  policy.on_block = ActionOf(config.prompts());
  policy.on_flag = ActionOf(annotations.remembered   ? config.remembered()
                            : annotations.open_world ? config.outward()
                                                     : config.stored());
  const auto row = config.tools().find(tool.definition.id);
  if (row == config.tools().end()) return policy;
  if (IsWritten(row->second.action())) policy.on_block = policy.on_flag = ActionOf(row->second.action());
  for (const auto& [name, action] : row->second.fields()) policy.by_argument[name] = ActionOf(action);
  return policy;
}

FindingAction InjectionDefence::ToolPolicy::ActionOn(const FieldPolicy::Text& field) const {
  if (!by_argument.empty()) {
    const auto row = by_argument.find(std::string(ArgumentOf(field.place)));
    if (row != by_argument.end()) return row->second;
  }
  return field.rule.action == InjectionAction::kBlock ? on_block : on_flag;
}

absl::StatusOr<ToolResult> InjectionDefence::Run(ToolCall& call, Next next) {
  // One walk over the arguments for both: results of sanitising wait until detection and the mode hint have passed.
  Sanitising sanitising;
  RETURN_IF_ERROR(policies_[call.tool->index].fields.Visit(call.arguments(), [&](const FieldPolicy::Text& field) {
    // Most strings in arguments are ids and words: nothing can be hidden in them, and no mode changes them.
    if (text::IsPlainToken(field.text)) return absl::OkStatus();
    absl::Status detected = Detect(field, call);
    if (detected.ok()) Sanitise(field, sanitising);
    return detected;
  }));
  RETURN_IF_ERROR(ValidateModeHint(call.caller.mode_hint));
  if (!sanitising.violations.empty()) return InvalidParams(std::move(sanitising.violations));
  for (Replacement& replacement : sanitising.replacements) {
    call.mutable_arguments().at(Json::json_pointer(replacement.pointer)) = std::move(replacement.text);
  }
  return next(call);
}

absl::Status InjectionDefence::Detect(const FieldPolicy::Text& field, ToolCall& call) const {
  if (field.rule.action == InjectionAction::kOff) return absl::OkStatus();
  const Detection detection = detector_->Detect(field.text);
  if (!detection.flagged && detection.unreadable.empty()) return absl::OkStatus();
  const std::string path = Shown(PointerTo(field));
  const FindingAction action = policies_[call.tool->index].ActionOn(field);
  const auto note = [&](const DetectedRule& rule, FindingAction consequence) {
    call.state.findings.push_back(
        {std::string(rule.rule_id), std::string(rule.family), path, rule.offset, rule.weight, consequence});
  };
  const bool refuses = action == FindingAction::kRefuse;
  for (const DetectedRule& rule : detection.unreadable) note(rule, refuses ? action : FindingAction::kRecord);
  for (size_t i = 0; detection.flagged && i < std::min(detection.findings.size(), kMaxFindingsPerText); ++i) {
    note(detection.findings[i], action);
  }
  if (!refuses) return absl::OkStatus();
  return detection.flagged ? Refusal(path, detection) : UnreadableRefusal(path);
}

void InjectionDefence::Sanitise(const FieldPolicy::Text& field, Sanitising& sanitising) {
  if (field.is_key) {
    const bool well_formed =
        !injection_defence::Sanitise(field.text, SanitiseMode::kVerbatim, field.rule.max_characters).violation;
    if (!well_formed || HasControlCharacter(field.text)) {
      sanitising.violations.push_back({Shown(PointerTo(field)), "propertyNames", "keys without control characters",
                                       "key with a control character or ill-formed bytes"});
    }
    return;
  }
  Sanitised sanitised = injection_defence::Sanitise(field.text, field.rule.mode, field.rule.max_characters);
  if (sanitised.violation.has_value()) {
    sanitised.violation->path = Shown(PointerTo(field));
    sanitising.violations.push_back(*std::move(sanitised.violation));
  } else if (sanitised.changed.has_value()) {
    sanitising.replacements.push_back({PointerTo(field), *std::move(sanitised.changed)});
  }
}

}  // namespace toolgate::security::injection_defence
