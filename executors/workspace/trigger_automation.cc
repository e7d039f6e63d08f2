#include "executors/workspace/trigger_automation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/json_template.h"
#include "storage/records.h"

namespace toolgate::executors::workspace {
namespace {

constexpr std::string_view kOwnId = "trigger_automation";
// First keys of templates.
constexpr char kContext[] = "context";
constexpr char kSteps[] = "steps";
// Maximum size of all steps' results as JSON. The automation's result contains them, and must fit among kept results.
constexpr int64_t kMaxAnswersBytes = storage::kMaxKeptBytes / 2;

struct Automation {
  std::string name;
  Json steps;
};

absl::StatusOr<Automation> Load(const Json& arguments, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const storage::Block block, blocks::GetBlockOfType(view, StringArgument(arguments, "automationId"),
                                                                      {blocks::kAutomation}, "/automationId"));
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(block));
  if (FindArgument(data, "enabled") != nullptr && !BoolArgument(data, "enabled")) {
    return MakeError(ErrorCode::kConflict, "the automation is turned off (enabled: false)");
  }
  const Json* steps = FindArgument(data, "steps");
  Automation automation{blocks::Describe(block.type, data), steps == nullptr ? Json::array() : *steps};
  for (size_t i = 0; i < automation.steps.size(); ++i) {
    if (StringArgument(automation.steps[i], "tool") != kOwnId) continue;
    return MakeError(ErrorCode::kConflict,
                     absl::StrCat("step ", i + 1, " triggers an automation; automations cannot trigger each other"));
  }
  return automation;
}

// Steps count from 1 for people, from 0 in templates.
std::string NameOfStep(size_t index, std::string_view tool) {
  return absl::StrCat("step ", index + 1, " (", ToAbsl(tool), ")");
}

Json StoredArguments(const Json& step) {
  const Json* arguments = FindArgument(step, "arguments");
  return arguments == nullptr ? Json::object() : *arguments;
}

// Values for templates that are known before the first step runs. The day and time stay templates, which are clear
// enough for a person.
Json KnownScope(const Json& arguments) {
  const Json* given = FindArgument(arguments, "context");
  return {{kContext, given == nullptr ? Json::object() : *given}};
}

absl::StatusOr<PlannedStep> PlannedStepOf(const Json& step, const Json& known) {
  PlannedStep planned{std::string(StringArgument(step, "tool")), StoredArguments(step)};
  planned.is_known = !HasTemplateOf(planned.arguments, kSteps);
  ASSIGN_OR_RETURN(Json filled_in, ExpandKnownTemplates(planned.arguments, known));
  if (PlannedStep::IsShort(filled_in)) {
    planned.arguments = std::move(filled_in);
  } else {
    // Long arguments are not shown completely anyway, and each of fifty steps may contain a context as long as the
    // call.
    planned.is_known = false;
  }
  return planned;
}

// Adds the step to its failure's message. `irreversible` names earlier steps that cannot be undone.
absl::Status FailureOfStep(size_t index, std::string_view tool, const std::vector<std::string>& irreversible,
                           const absl::Status& failure) {
  const std::string step = NameOfStep(index, tool);
  std::optional<ToolError> error = GetToolError(failure);
  if (!error.has_value()) return absl::Status(failure.code(), absl::StrCat(step, ": ", failure.message()));
  const std::string left = irreversible.empty()
                               ? "nothing of the automation was kept"
                               : absl::StrCat("nothing of the automation was kept in the workspace, but what ",
                                              NameList(irreversible), " did cannot be taken back");
  error->message = absl::StrCat(step, " failed and ", left, ": ", error->message);
  error->facts.emplace_back("step", absl::StrCat(index));
  error->facts.emplace_back("tool", std::string(tool));
  return ToStatus(*error);
}

absl::Status AnswersTooLong() {
  return MakeError(ErrorCode::kConflict,
                   absl::StrCat("what the steps answer comes to more than the ", kMaxAnswersBytes >> 20,
                                " MiB that an automation may hold; let steps ask for less, or split the automation"));
}

Json InitialScope(const ToolContext& context, const Json& known) {
  Json scope = known;
  scope[kSteps] = Json::array();
  scope["now"] = FormatInstant(context.now);
  scope["today"] = FormatDay(absl::ToCivilDay(context.now, context.time_zone));
  return scope;
}

absl::StatusOr<StepResult> RunStep(const Json& step, const Json& known, const Json& scope, ToolContext& context,
                                   storage::Transaction& transaction) {
  RETURN_IF_ERROR(context.cancellation.Check());
  ASSIGN_OR_RETURN(const PlannedStep planned, PlannedStepOf(step, known));
  ASSIGN_OR_RETURN(const Json arguments, ExpandTemplates(StoredArguments(step), scope));
  return context.steps->RunStep({planned.tool_id, arguments, planned.IsShown()}, transaction);
}

}  // namespace

absl::StatusOr<ToolOutput> TriggerAutomation(ToolContext& context, storage::Transaction& transaction) {
  if (context.steps == nullptr) return absl::InternalError("trigger_automation was run without a StepRunner");
  ASSIGN_OR_RETURN(const Automation automation, Load(context.arguments, transaction));
  const Json known = KnownScope(context.arguments);
  Json scope = InitialScope(context, known);
  Json ran = Json::array();
  std::vector<std::string> irreversible;
  int64_t answers_bytes = 0;
  for (size_t i = 0; i < automation.steps.size(); ++i) {
    const std::string_view tool = StringArgument(automation.steps[i], "tool");
    context.Report({NameOfStep(i, tool), static_cast<int64_t>(i), static_cast<int64_t>(automation.steps.size())});
    const absl::StatusOr<StepResult> step = RunStep(automation.steps[i], known, scope, context, transaction);
    if (!step.ok()) return FailureOfStep(i, tool, irreversible, step.status());
    if (!step->reversible) irreversible.push_back(NameOfStep(i, tool));
    answers_bytes += static_cast<int64_t>(step->data_json.size());
    if (answers_bytes > kMaxAnswersBytes) return FailureOfStep(i, tool, irreversible, AnswersTooLong());
    ASSIGN_OR_RETURN(Json result, ParseJson(step->data_json, kStoredJson));
    ran.push_back({{"tool", std::string(tool)}, {"result", result}});
    if (!step->reversible) ran.back()["reversible"] = false;
    scope[kSteps].push_back(std::move(result));
  }
  ToolOutput output;
  output.data_json = DumpJson(
      {{"success", true}, {"executionId", context.ids.NewId(context.now)}, {"result", {{"steps", std::move(ran)}}}});
  output.description = absl::StrCat("Ran ", automation.name);
  if (!irreversible.empty()) {
    absl::StrAppend(&output.description, "; cannot be undone because of ", NameList(irreversible));
  }
  return output;
}

absl::StatusOr<Preview> PreviewTriggerAutomation(const TraitsOfTool& traits_of, ToolContext& context,
                                                 storage::ReadView& view) {
  ASSIGN_OR_RETURN(const Automation automation, Load(context.arguments, view));
  const Json known = KnownScope(context.arguments);
  Preview preview;
  preview.needs_confirmation = false;
  std::vector<std::string> tools;
  std::vector<std::string> irreversible;
  for (size_t i = 0; i < automation.steps.size(); ++i) {
    const std::string& tool = tools.emplace_back(StringArgument(automation.steps[i], "tool"));
    absl::StatusOr<PlannedStep> step = PlannedStepOf(automation.steps[i], known);
    if (!step.ok()) return FailureOfStep(i, tool, {}, step.status());
    preview.steps.push_back(*std::move(step));
    const ToolTraits traits = traits_of(tool);
    preview.needs_confirmation |= !traits.read_only;
    if (!traits.reversible) irreversible.push_back(NameOfStep(i, tool));
  }
  preview.summary = absl::StrCat("Run ", automation.name, ": ", NameList(tools));
  preview.state_digest = StateDigest(automation.steps);
  preview.reversible = irreversible.empty();
  preview.undo_summary = preview.reversible ? "Undo takes back together what all steps change in the workspace."
                                            : absl::StrCat("It cannot be undone, because what ", NameList(irreversible),
                                                           " does cannot be taken back.");
  return preview;
}

}  // namespace toolgate::executors::workspace
