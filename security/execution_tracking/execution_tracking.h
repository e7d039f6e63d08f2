// Layer 4: limits what a call and its request may use while they run.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_TRACKING_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_TRACKING_H_

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fairness/shared_count.h"
#include "common/fibers/cancellation.h"
#include "executors/tool.h"
#include "security/execution_tracking/bulkhead.h"
#include "security/execution_tracking/execution_state.h"
#include "security/execution_tracking/request_tracker.h"
#include "security/execution_tracking/tool_statistics.h"
#include "security/layer.h"
#include "security/preview_runner.h"
#include "security/running_place.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::execution_tracking {

// Counts the calls of a request, takes a place in the bulkheads of the tool's module and of all calls, shortens the
// deadline, tracks the call while it runs and records its end. (ResultCap limits the result where it is made.)
// Thread-safe.
//
// An effect that waits for something outside leaves its place to other calls meanwhile (ToolCall::place). The effects
// under way, waiting or not, have bounds of their own: in all, and for each provider.
//
// The preview of an effect runs in the same places and counts among the effects under way, before the call has its turn
// here. The two never hold places at once.
//
// The steps of an automation run in its place: they take none of their own, for otherwise automations that hold all
// places would wait for each other's steps for ever.
//
// Places, the line of those who wait for one, and effects are shared: a user and a workspace may have only their shares
// of them (common/fairness/fair_shares.h).
//
// Refusals: INVALID_PARAMS, QUOTA_EXCEEDED and OVERLOADED as RequestTracker and Bulkhead say; OVERLOADED when too many
// effects are under way; TIMEOUT when the deadline passed and CANCELLED when the client left before the tool could
// start.
class ExecutionTracking final : public Layer, public PreviewRunner {
 public:
  // `clock` and `state`, which belongs to the same tools, must outlive the layer. INVALID_ARGUMENT if the configuration
  // or a tool's time-out is impossible.
  static absl::StatusOr<std::unique_ptr<ExecutionTracking>> Create(const std::vector<executors::Tool>& tools,
                                                                   const config::v1::ExecutionTracking& config,
                                                                   const Clock& clock, ExecutionState& state);

  std::string_view name() const override { return "execution_tracking"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

  // Counts no call of the request, and charges it nothing. Refuses as Run does.
  absl::Status RunPreview(ToolCall& call,
                          absl::FunctionRef<absl::Status(const fibers::Cancellation&)> preview) override;

  // Whether a call of `tool` would get its slots at once, for any caller.
  bool HasRoomFor(const executors::Tool& tool) const {
    return plans_[tool.index].bulkhead->HasRoomForAnyone() && state_.all().HasRoomForAnyone();
  }

  std::vector<ToolStatisticsRow> ListStatistics() const { return statistics_.List(); }

 private:
  struct ToolPlan {
    absl::Duration timeout;
    CallNeeds needs;
    Bulkhead* bulkhead = nullptr;
    bool is_effect = false;
    std::string_view provider;                     // Of the definition.
    fairness::SharedCount* of_provider = nullptr;  // Of an effect whose definition names a provider.
  };
  struct Slots final : RunningPlace {
    Slots() = default;
    Slots(Bulkhead::Slot module, Bulkhead::Slot all) : of_module(std::move(module)), of_all(std::move(all)) {}
    void StepAside() override {
      of_all.StepAside();
      of_module.StepAside();
    }
    void StepBack() override {
      of_module.StepBack();
      of_all.StepBack();
    }

    Bulkhead::Slot of_module;
    Bulkhead::Slot of_all;
  };
  struct EffectTickets {
    std::optional<fairness::SharedCount::Ticket> of_all;
    std::optional<fairness::SharedCount::Ticket> of_provider;
  };

  ExecutionTracking(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                    const Clock& clock, ExecutionState& state);

  // Counts an effect among those under way, for as long as the tickets are held; none for other tools.
  absl::StatusOr<EffectTickets> CountEffect(const ToolCall& call, const ToolPlan& plan);
  absl::StatusOr<ToolResult> RunAfterWait(ToolCall& call, Next next);
  // The places, if they are free now, or nothing.
  std::optional<Slots> TryTakePlaces(const ToolCall& call, const ToolPlan& plan);
  absl::StatusOr<Slots> TakePlaces(const ToolCall& call, const ToolPlan& plan);
  // The longest that the call may run if its request has used no execution time yet and states no budget. A shorter
  // limit comes from the caller.
  absl::Duration OwnBound(const ToolCall& call) const;
  static absl::Status CheckStart(const ToolCall& call, absl::Duration now);
  absl::StatusOr<ToolResult> Execute(ToolCall& call, Next next, RequestTracker::Ticket& ticket, Slots& slots,
                                     absl::Duration started);

  const Clock& clock_;
  ExecutionState& state_;
  const absl::Duration max_queue_time_;
  const RequestSettings request_settings_;
  ToolStatistics statistics_;
  std::vector<ToolPlan> plans_;  // By Tool::index.
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_TRACKING_H_
