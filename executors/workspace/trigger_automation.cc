#include "executors/workspace/trigger_automation.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
#include "executors/blocks/integrity.h"
#include "executors/json_template.h"
#include "executors/saga_runner.h"
#include "storage/journal.h"
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

// Adds the step to its failure's message. `left` says what became of the steps before.
absl::Status FailureOfStep(size_t index, std::string_view tool, std::string_view left, const absl::Status& failure) {
  const std::string step = NameOfStep(index, tool);
  std::optional<ToolError> error = GetToolError(failure);
  if (!error.has_value()) return absl::Status(failure.code(), absl::StrCat(step, ": ", failure.message()));
  error->message = absl::StrCat(step, " failed and ", ToAbsl(left), ": ", error->message);
  error->facts.emplace_back("step", absl::StrCat(index));
  error->facts.emplace_back("tool", std::string(tool));
  return ToStatus(*error);
}

constexpr std::string_view kNothingKept = "nothing of the automation was kept";

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

// The way of one automation through its steps.
class Run {
 public:
  // Runs a step, given its place.
  using RunStep = absl::FunctionRef<absl::StatusOr<StepResult>(size_t index, const Step& step)>;

  Run(const Automation& automation, ToolContext& context)
      : automation_(automation),
        context_(context),
        known_(KnownScope(context.arguments)),
        scope_(InitialScope(context, known_)) {}

  // A step's failure, after which failed() is its place.
  absl::Status Steps(RunStep run_step, bool leaves_out_unknown) {
    for (; next_ < automation_.steps.size(); ++next_) RETURN_IF_ERROR(OneStep(run_step, leaves_out_unknown));
    return absl::OkStatus();
  }
  size_t failed() const { return next_; }
  std::string_view ToolOf(size_t index) const { return StringArgument(automation_.steps[index], "tool"); }
  // Of the steps that ran; names of those that cannot be undone.
  const std::vector<std::string>& irreversible() const { return irreversible_; }

  ToolOutput Output(bool is_saga) {
    Json result{{"steps", std::move(ran_)}};
    if (is_saga) result["settledStepByStep"] = true;
    ToolOutput output;
    output.data_json =
        DumpJson({{"success", true}, {"executionId", context_.ids.NewId(context_.now)}, {"result", std::move(result)}});
    output.description = absl::StrCat("Ran ", automation_.name);
    if (!irreversible_.empty()) {
      absl::StrAppend(&output.description, "; cannot be undone because of ", NameList(irreversible_));
    }
    output.reversible = irreversible_.empty();
    output.untrusted = untrusted_;
    return output;
  }

 private:
  absl::Status OneStep(RunStep run_step, bool leaves_out_unknown) {
    RETURN_IF_ERROR(context_.cancellation.Check());
    const Json& stored = automation_.steps[next_];
    context_.Report({NameOfStep(next_, ToolOf(next_)), static_cast<int64_t>(next_),
                     static_cast<int64_t>(automation_.steps.size())});
    ASSIGN_OR_RETURN(const PlannedStep planned, PlannedStepOf(stored, known_));
    if (leaves_out_unknown && HasTemplateOf(StoredArguments(stored), kSteps)) {
      ran_.push_back({{"tool", planned.tool_id}, {"result", nullptr}, {"leftOut", true}});
      scope_[kSteps].push_back(nullptr);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const Json arguments, ExpandTemplates(StoredArguments(stored), scope_));
    ASSIGN_OR_RETURN(const StepResult answer, run_step(next_, {planned.tool_id, arguments, planned.IsShown()}));
    return Take(planned.tool_id, answer);
  }

  absl::Status Take(const std::string& tool, const StepResult& answer) {
    if (!answer.reversible) irreversible_.push_back(NameOfStep(next_, tool));
    answers_bytes_ += static_cast<int64_t>(answer.data_json.size());
    if (answers_bytes_ > kMaxAnswersBytes) return AnswersTooLong();
    ASSIGN_OR_RETURN(Json result, ParseJson(answer.data_json, kStoredJson));
    ran_.push_back({{"tool", tool}, {"result", result}});
    if (!answer.reversible) ran_.back()["reversible"] = false;
    untrusted_ |= answer.untrusted;
    scope_[kSteps].push_back(std::move(result));
    return absl::OkStatus();
  }

  const Automation& automation_;
  ToolContext& context_;
  const Json known_;
  Json scope_;
  Json ran_ = Json::array();
  std::vector<std::string> irreversible_;
  int64_t answers_bytes_ = 0;
  bool untrusted_ = false;
  size_t next_ = 0;
};

bool IsSaga(const Automation& automation, const TraitsOfTool& traits_of) {
  return std::any_of(automation.steps.begin(), automation.steps.end(),
                     [&](const Json& step) { return traits_of(StringArgument(step, "tool")).settles_alone; });
}

absl::StatusOr<ToolOutput> RunInTransaction(const TraitsOfTool& traits_of, ToolContext& context,
                                            storage::Transaction& transaction) {
  if (context.steps == nullptr) return absl::InternalError("trigger_automation was run without a StepRunner");
  ASSIGN_OR_RETURN(const Automation automation, Load(context.arguments, transaction));
  if (IsSaga(automation, traits_of)) return absl::AbortedError("a step of the automation settles by itself");
  Run run(automation, context);
  const auto run_step = [&](size_t, const Step& step) { return context.steps->RunStep(step, transaction); };
  if (const absl::Status status = run.Steps(run_step, false); !status.ok()) {
    const std::vector<std::string>& irreversible = run.irreversible();
    const std::string left = irreversible.empty() ? std::string(kNothingKept)
                                                  : absl::StrCat(ToAbsl(kNothingKept), " in the workspace, but what ",
                                                                 NameList(irreversible), " did cannot be taken back");
    return FailureOfStep(run.failed(), run.ToolOf(run.failed()), left, status);
  }
  return run.Output(/*is_saga=*/false);
}

// Says of a saga that failed which steps could not be taken back; there is at least one.
std::string WhatIsKept(const std::vector<KeptStep>& kept) {
  std::vector<std::string> each;
  for (auto step = kept.rbegin(); step != kept.rend(); ++step) {
    const std::optional<ToolError> why = GetToolError(step->why);
    each.push_back(absl::StrCat(NameOfStep(static_cast<size_t>(step->number), step->tool_id), " (",
                                why.has_value() ? why->message : "", ")"));
  }
  return absl::StrCat(ToAbsl(kNothingKept),
                      " but what these steps did, which could not be taken back: ", NameList(each));
}

// Adds the places of steps that are not taken back to the facts of an error.
absl::Status WithKept(const std::vector<KeptStep>& kept, const absl::Status& status) {
  std::optional<ToolError> error = GetToolError(status);
  if (kept.empty() || !error.has_value()) return status;
  std::vector<std::string> numbers;
  for (auto step = kept.rbegin(); step != kept.rend(); ++step) numbers.push_back(absl::StrCat(step->number));
  error->facts.emplace_back("keptSteps", absl::StrJoin(numbers, ","));
  // A repeat would do the same a second time.
  error->retryable = false;
  return ToStatus(*error);
}

// The state from which recovery answers for an automation whose steps have all settled.
std::string CheckpointOf(const ToolOutput& output) {
  return DumpJson({{"data", output.data_json},
                   {"description", output.description},
                   {"reversible", output.reversible},
                   {"untrusted", output.untrusted}});
}

absl::StatusOr<ToolOutput> FromCheckpoint(std::string_view checkpoint) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(checkpoint, kStoredJson));
  ToolOutput output;
  output.data_json = StringArgument(json, "data");
  output.description = StringArgument(json, "description");
  output.reversible = BoolArgument(json, "reversible");
  output.untrusted = BoolArgument(json, "untrusted");
  return output;
}

absl::Status TakeBackAfter(const Run& run, ToolContext& context, const absl::Status& failure) {
  if (context.dry_run) return FailureOfStep(run.failed(), run.ToolOf(run.failed()), "nothing was done", failure);
  ASSIGN_OR_RETURN(const std::vector<KeptStep> kept, context.saga->TakeBack());
  const std::string left = kept.empty() ? std::string(kNothingKept) : WhatIsKept(kept);
  return WithKept(kept, FailureOfStep(run.failed(), run.ToolOf(run.failed()), left, failure));
}

absl::StatusOr<Acted> RunAsSaga(ToolContext& context, EffectSession& session) {
  if (context.saga == nullptr) return absl::InternalError("trigger_automation was run without a SagaRunner");
  Automation automation;
  RETURN_IF_ERROR(session.Read([&](storage::ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(automation, Load(context.arguments, view));
    return absl::OkStatus();
  }));
  Run run(automation, context);
  const auto run_step = [&](size_t index, const Step& step) {
    return context.saga->RunStep(static_cast<int64_t>(index), step);
  };
  const absl::Status status = run.Steps(run_step, /*leaves_out_unknown=*/context.dry_run);
  if (!status.ok()) return TakeBackAfter(run, context, status);
  Acted acted{run.Output(/*is_saga=*/true), nullptr};
  if (context.dry_run) return acted;
  // So that a crash from here on does not take everything back. The settlement finds out where that is not possible.
  if (std::string checkpoint = CheckpointOf(acted.output); checkpoint.size() <= storage::kMaxCheckpointBytes) {
    session.Checkpoint(std::move(checkpoint)).IgnoreError();
  }
  return acted;
}

// Takes back what had settled, unless all had.
absl::StatusOr<Recovered> RecoverSaga(ToolContext& context, EffectSession& session) {
  if (!session.checkpoint().empty()) {
    ASSIGN_OR_RETURN(ToolOutput output, FromCheckpoint(session.checkpoint()));
    return Recovered{Recovered::Outcome::kFinished, {std::move(output), nullptr}};
  }
  ASSIGN_OR_RETURN(const std::vector<KeptStep> kept, context.saga->TakeBack());
  if (kept.empty()) return Recovered{Recovered::Outcome::kRolledBack, {}};
  const bool is_known = std::all_of(kept.begin(), kept.end(), [](const KeptStep& step) { return step.is_known; });
  const std::string message = absl::StrCat("the service stopped while the automation ran; ", WhatIsKept(kept));
  return Recovered{is_known ? Recovered::Outcome::kPartlyRolledBack : Recovered::Outcome::kUnknown,
                   {},
                   WithKept(kept, MakeError(ErrorCode::kExecutionError, message))};
}

std::string SagaSummary(const std::vector<std::string>& irreversible) {
  const std::string kept = irreversible.empty() ? "" : absl::StrCat(", but not what ", NameList(irreversible), " did");
  return absl::StrCat(
      "; each step settles by itself, and if one fails, those before it are taken back, the newest first", kept);
}

std::string UndoSummary(bool is_saga, const std::vector<std::string>& irreversible) {
  if (!irreversible.empty()) {
    return absl::StrCat("It cannot be undone, because what ", NameList(irreversible), " does cannot be taken back.");
  }
  return is_saga ? "Undo takes back together what all steps did."
                 : "Undo takes back together what all steps change in the workspace.";
}

absl::StatusOr<Preview> PreviewOf(const TraitsOfTool& traits_of, ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const Automation automation, Load(context.arguments, view));
  const Json known = KnownScope(context.arguments);
  Preview preview;
  preview.needs_confirmation = false;
  std::vector<std::string> tools;
  std::vector<std::string> irreversible;
  for (size_t i = 0; i < automation.steps.size(); ++i) {
    const std::string& tool = tools.emplace_back(StringArgument(automation.steps[i], "tool"));
    absl::StatusOr<PlannedStep> step = PlannedStepOf(automation.steps[i], known);
    if (!step.ok()) return FailureOfStep(i, tool, kNothingKept, step.status());
    preview.steps.push_back(*std::move(step));
    const ToolTraits traits = traits_of(tool);
    preview.needs_confirmation |= !traits.read_only;
    if (!traits.reversible) irreversible.push_back(NameOfStep(i, tool));
  }
  const bool is_saga = IsSaga(automation, traits_of);
  preview.summary = absl::StrCat("Run ", automation.name, ": ", NameList(tools));
  if (is_saga) preview.summary += SagaSummary(irreversible);
  preview.state_digest = StateDigest(automation.steps);
  preview.reversible = irreversible.empty();
  preview.undo_summary = UndoSummary(is_saga, irreversible);
  return preview;
}

}  // namespace

ToolHandlers TriggerAutomationTool(const TraitsOfTool& traits_of) {
  ToolHandlers handlers;
  handlers.id = kOwnId;
  // Whether a step settles by itself is found out in the dry run, which most automations pass.
  handlers.run = FlexibleHandler{
      .in_transaction = [traits_of](ToolContext& context,
                                    storage::Transaction& tx) { return RunInTransaction(traits_of, context, tx); },
      .as_effect = RunAsSaga,
      .needs_effect = nullptr,
      .apply = blocks::Apply};
  handlers.preview = [traits_of](ToolContext& context, storage::ReadView& view) {
    return PreviewOf(traits_of, context, view);
  };
  handlers.recover = RecoverSaga;
  return handlers;
}

}  // namespace toolgate::executors::workspace
