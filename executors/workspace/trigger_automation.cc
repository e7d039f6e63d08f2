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
#include "common/tool_error.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_lookup.h"
#include "executors/blocks/block_types.h"
#include "executors/json_template.h"

namespace toolgate::executors::workspace {
namespace {

constexpr std::string_view kOwnId = "trigger_automation";
constexpr JsonLimits kResultLimits{
    .max_bytes = size_t{16} << 20, .max_depth = 128, .max_keys = 1'000'000, .max_values = 1'000'000};

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

// The step's failure, with the step in front of its message. Steps count from 1 for people, from 0 in templates.
absl::Status FailureOfStep(size_t index, std::string_view tool, const absl::Status& failure) {
  const std::string step = absl::StrCat("step ", index + 1, " (", ToAbsl(tool), ")");
  std::optional<ToolError> error = GetToolError(failure);
  if (!error.has_value()) return absl::Status(failure.code(), absl::StrCat(step, ": ", failure.message()));
  error->message = absl::StrCat(step, " failed and nothing of the automation was kept: ", error->message);
  error->facts.emplace_back("step", absl::StrCat(index));
  error->facts.emplace_back("tool", std::string(tool));
  return ToStatus(*error);
}

Json InitialScope(const ToolContext& context) {
  const Json* given = FindArgument(context.arguments, "context");
  return {{"context", given == nullptr ? Json::object() : *given},
          {"steps", Json::array()},
          {"now", FormatInstant(context.now)},
          {"today", FormatDay(absl::ToCivilDay(context.now, context.time_zone))}};
}

absl::StatusOr<Json> RunStep(const Json& step, const Json& scope, ToolContext& context,
                             storage::Transaction& transaction) {
  RETURN_IF_ERROR(context.cancellation.Check());
  const Json* templated = FindArgument(step, "arguments");
  ASSIGN_OR_RETURN(const Json arguments, ExpandTemplates(templated == nullptr ? Json::object() : *templated, scope));
  ASSIGN_OR_RETURN(const std::string result,
                   context.steps->RunStep(StringArgument(step, "tool"), arguments, transaction));
  return ParseJson(result, kResultLimits);
}

}  // namespace

absl::StatusOr<ToolOutput> TriggerAutomation(ToolContext& context, storage::Transaction& transaction) {
  if (context.steps == nullptr) return absl::InternalError("trigger_automation was run without a StepRunner");
  ASSIGN_OR_RETURN(const Automation automation, Load(context.arguments, transaction));
  Json scope = InitialScope(context);
  Json ran = Json::array();
  for (size_t i = 0; i < automation.steps.size(); ++i) {
    const std::string_view tool = StringArgument(automation.steps[i], "tool");
    absl::StatusOr<Json> result = RunStep(automation.steps[i], scope, context, transaction);
    if (!result.ok()) return FailureOfStep(i, tool, result.status());
    ran.push_back({{"tool", std::string(tool)}, {"result", *result}});
    scope["steps"].push_back(*std::move(result));
  }
  ToolOutput output;
  output.data_json = DumpJson(
      {{"success", true}, {"executionId", context.ids.NewId(context.now)}, {"result", {{"steps", std::move(ran)}}}});
  output.description = absl::StrCat("Ran ", automation.name);
  return output;
}

absl::StatusOr<Preview> PreviewTriggerAutomation(const std::function<bool(std::string_view)>& is_read_only,
                                                 ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const Automation automation, Load(context.arguments, view));
  std::vector<std::string> tools;
  for (const Json& step : automation.steps) tools.emplace_back(StringArgument(step, "tool"));
  Preview preview;
  preview.needs_confirmation = !std::all_of(tools.begin(), tools.end(), is_read_only);
  preview.summary = absl::StrCat("Run ", automation.name, ": ", NameList(tools));
  preview.undo_summary = "Undo takes back together what all steps change in the workspace.";
  return preview;
}

}  // namespace toolgate::executors::workspace
