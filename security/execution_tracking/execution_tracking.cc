#include "security/execution_tracking/execution_tracking.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "common/yaml/config_rules.h"
#include "security/config_check.h"
#include "security/execution_tracking/execution_checks.h"

namespace toolgate::security::execution_tracking {
namespace {

RequestSettings SettingsOf(const config::v1::ExecutionTracking& config) {
  return {.max_calls = config.max_calls_per_request(),
          .max_execution_time = FromProtoDuration(config.max_execution_time_per_request()),
          .memory = FromProtoDuration(config.request_memory())};
}

// Tools that wait for something outside have their own time-outs; the request's execution time limits only tools that
// use this service's processors. An outside tool's definition may give a call's tokens as the member "tokensPerCall" of
// its executor; otherwise the call counts as one token.
CallNeeds NeedsOf(const executors::ToolDefinition& definition) {
  CallNeeds needs;
  needs.runs_inside = !definition.annotations.open_world;
  needs.tokens = needs.runs_inside ? 0 : 1;
  if (!definition.executor.is_object()) return needs;
  const auto tokens = definition.executor.find("tokensPerCall");
  if (tokens != definition.executor.end() && tokens->is_number_integer()) {
    needs.tokens = std::max<int64_t>(tokens->get<int64_t>(), 0);
  }
  return needs;
}

bool IsEffect(const executors::Tool& tool) {
  const auto& run = tool.handlers.run;
  return std::holds_alternative<executors::EffectHandler>(run) ||
         std::holds_alternative<executors::FlexibleHandler>(run);
}

fairness::Party PartyOf(const ToolCall& call) { return {call.caller.workspace_id, call.caller.user_id}; }

absl::Status TooManyEffects(std::string_view provider, fairness::Bound bound) {
  const std::string_view whose = bound == fairness::Bound::kUser        ? " of this user"
                                 : bound == fairness::Bound::kWorkspace ? " of this workspace"
                                                                        : "";
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = absl::StrCat("too many calls", ToAbsl(whose), " wait for ",
                               ToAbsl(provider.empty() ? "something outside the service" : provider), " already");
  error.retryable = true;
  error.retry_after = absl::Seconds(1);
  return ToStatus(error);
}

absl::Status TakeTicket(fairness::SharedCount& count, const ToolCall& call, std::string_view provider,
                        std::optional<fairness::SharedCount::Ticket>& ticket) {
  fairness::SharedCount::Taken taken = count.TryTake(PartyOf(call));
  if (const auto* const bound = std::get_if<fairness::Bound>(&taken)) return TooManyEffects(provider, *bound);
  ticket = std::get<fairness::SharedCount::Ticket>(std::move(taken));
  return absl::OkStatus();
}

// Time and tokens that a call is charged for; none if it was charged before.
CallNeeds ChargeOf(const ToolCall& call, const CallNeeds& needs) {
  return call.charged_before() ? CallNeeds{.runs_inside = false, .tokens = 0} : needs;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ExecutionTracking>> ExecutionTracking::Create(
    const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config, const Clock& clock,
    ExecutionState& state) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) {
    yaml::CheckRanges(config, "execution_tracking", report);
    CheckExecutionTracking(tools, config, report);
  }));
  auto layer = std::unique_ptr<ExecutionTracking>(new ExecutionTracking(tools, config, clock, state));
  layer->plans_.resize(tools.size());
  for (const executors::Tool& tool : tools) {
    if (tool.definition.timeout <= absl::ZeroDuration()) {
      return absl::InvalidArgumentError(absl::StrCat("tool ", tool.definition.id, ": its time-out must be positive"));
    }
    ToolPlan& plan = layer->plans_[tool.index];
    plan.timeout = std::min(tool.definition.timeout, FromProtoDuration(config.tool_timeout()));
    plan.needs = NeedsOf(tool.definition);
    plan.bulkhead = &state.of_module(tool.definition.module);
    plan.is_effect = IsEffect(tool);
    if (plan.is_effect && !tool.definition.provider.empty()) {
      plan.provider = tool.definition.provider;
      plan.of_provider = &state.effects_of_provider(tool.definition.provider);
    }
  }
  return layer;
}

ExecutionTracking::ExecutionTracking(const std::vector<executors::Tool>& tools,
                                     const config::v1::ExecutionTracking& config, const Clock& clock,
                                     ExecutionState& state)
    : clock_(clock),
      state_(state),
      max_queue_time_(FromProtoDuration(config.max_queue_time())),
      request_settings_(SettingsOf(config)),
      statistics_(tools) {}

absl::StatusOr<ToolResult> ExecutionTracking::Run(ToolCall& call, Next next) {
  const ToolPlan& plan = plans_[call.tool->index];
  ASSIGN_OR_RETURN(const EffectTickets effect, CountEffect(call, plan));
  std::optional<Slots> slots = TryTakePlaces(call, plan);
  if (!slots.has_value()) return RunAfterWait(call, next);
  const absl::Duration now = clock_.Monotonic();
  RETURN_IF_ERROR(CheckStart(call, now));
  ASSIGN_OR_RETURN(RequestTracker::Ticket ticket,
                   state_.requests().AdmitAndStart(request_settings_, call, ChargeOf(call, plan.needs), now));
  return Execute(call, next, ticket, *slots, now);
}

absl::Status ExecutionTracking::RunPreview(ToolCall& call,
                                           absl::FunctionRef<absl::Status(const fibers::Cancellation&)> preview) {
  const ToolPlan& plan = plans_[call.tool->index];
  ASSIGN_OR_RETURN(const EffectTickets effect, CountEffect(call, plan));
  std::optional<Slots> slots = TryTakePlaces(call, plan);
  if (!slots.has_value()) {
    ASSIGN_OR_RETURN(slots, TakePlaces(call, plan));
  }
  const absl::Duration now = clock_.Monotonic();
  RETURN_IF_ERROR(CheckStart(call, now));
  fibers::Cancellation bounded(clock_, call.cancellation.deadline());
  bounded.Watch(call.cancellation);
  bounded.TightenByService(now + plan.timeout);
  if (!call.is_step()) call.state.place = &*slots;
  const absl::Status status = preview(bounded);
  if (!call.is_step()) call.state.place = nullptr;
  return status;
}

absl::StatusOr<ExecutionTracking::EffectTickets> ExecutionTracking::CountEffect(const ToolCall& call,
                                                                                const ToolPlan& plan) {
  EffectTickets tickets;
  if (!plan.is_effect) return tickets;
  if (plan.of_provider != nullptr) {
    RETURN_IF_ERROR(TakeTicket(*plan.of_provider, call, plan.provider, tickets.of_provider));
  }
  RETURN_IF_ERROR(TakeTicket(state_.effects(), call, "", tickets.of_all));
  return tickets;
}

// Checks the request's budget before the wait: a call that must be refused anyway must not queue.
absl::StatusOr<ToolResult> ExecutionTracking::RunAfterWait(ToolCall& call, Next next) {
  const ToolPlan& plan = plans_[call.tool->index];
  ASSIGN_OR_RETURN(RequestTracker::Ticket ticket,
                   state_.requests().Admit(request_settings_, call, ChargeOf(call, plan.needs), clock_.Monotonic()));
  ASSIGN_OR_RETURN(Slots slots, TakePlaces(call, plan));
  const absl::Duration now = clock_.Monotonic();
  RETURN_IF_ERROR(CheckStart(call, now));
  RETURN_IF_ERROR(ticket.Start(now).status());
  return Execute(call, next, ticket, slots, now);
}

std::optional<ExecutionTracking::Slots> ExecutionTracking::TryTakePlaces(const ToolCall& call, const ToolPlan& plan) {
  if (call.is_step()) return Slots();
  std::optional<Bulkhead::Slot> of_module = plan.bulkhead->TryAcquire(PartyOf(call));
  if (!of_module.has_value()) return std::nullopt;
  std::optional<Bulkhead::Slot> of_all = state_.all().TryAcquire(PartyOf(call));
  if (!of_all.has_value()) return std::nullopt;
  return Slots{*std::move(of_module), *std::move(of_all)};
}

absl::StatusOr<ExecutionTracking::Slots> ExecutionTracking::TakePlaces(const ToolCall& call, const ToolPlan& plan) {
  Slots slots;
  QueuePatience patience(clock_, call.cancellation, max_queue_time_);
  ASSIGN_OR_RETURN(slots.of_module, plan.bulkhead->Acquire(PartyOf(call), patience));
  ASSIGN_OR_RETURN(slots.of_all, state_.all().Acquire(PartyOf(call), patience));
  return slots;
}

absl::Status ExecutionTracking::CheckStart(const ToolCall& call, absl::Duration now) {
  if (call.cancellation.cancelled()) {
    return MakeError(ErrorCode::kCancelled, "the client left before the tool could start");
  }
  if (call.cancellation.deadline() <= now) {
    return MakeError(ErrorCode::kTimeout, "the call's deadline passed before the tool could start");
  }
  return absl::OkStatus();
}

absl::Duration ExecutionTracking::OwnBound(const ToolCall& call) const {
  const ToolPlan& plan = plans_[call.tool->index];
  if (!ChargeOf(call, plan.needs).runs_inside) return plan.timeout;
  return std::min(plan.timeout, request_settings_.max_execution_time);
}

absl::StatusOr<ToolResult> ExecutionTracking::Execute(ToolCall& call, Next next, RequestTracker::Ticket& ticket,
                                                      Slots& slots, absl::Duration started) {
  call.cancellation.TightenByCaller(started + ticket.remaining());
  call.cancellation.TightenByService(started + OwnBound(call));
  ToolStatistics::Running running(statistics_, call.tool->index);
  if (!call.is_step()) call.state.place = &slots;
  absl::StatusOr<ToolResult> result = next(call);
  if (!call.is_step()) call.state.place = nullptr;
  const absl::Duration ended = clock_.Monotonic();
  ticket.Finish(ended, result.ok() && !call.charged_before() ? result->tokens_used : 0);
  running.Finish(ended - started, !result.ok() || !result->success);
  return result;
}

}  // namespace toolgate::security::execution_tracking
