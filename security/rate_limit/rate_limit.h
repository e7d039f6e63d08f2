// Layer 3: limits how often tools are called, and stops calls to broken ones.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_RATE_LIMIT_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_RATE_LIMIT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "coordination/breakers/breaker_registry.h"
#include "coordination/breakers/circuit_breaker.h"
#include "coordination/limits/limiter_store.h"
#include "executors/tool.h"
#include "security/layer.h"
#include "security/rate_limit/limit_observer.h"
#include "security/rate_limit/limit_plan.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::rate_limit {

using coordination::breakers::BreakerRegistry;
using coordination::breakers::BreakerSettings;
using coordination::breakers::BreakerSnapshot;
using coordination::breakers::CircuitBreaker;
using coordination::limits::ChargeOutcome;
using coordination::limits::LimiterStore;

// One limit with any usage by a user.
struct QuotaUsage {
  // "*" for the limit over all calls of the user; "create_task@ROLE" where a role sets the tool's limit.
  std::string tool_id;
  bool is_guest = false;
  absl::Duration window;
  int64_t used = 0;
  int64_t limit = 0;
  absl::Time resets_at;  // Time at which the oldest charged call leaves the window.
};

// Circuit breaker, provider throttle, user limit, tool limit, in that order. Thread-safe.
//
// A role may set a tool's windows for its callers, which then replace the tool's own.
//
// A call is charged if all its windows have room; otherwise it is refused and charged nowhere. A call that did not run
// after all (refused further in, answered with a question for a person, or with a stored outcome) gets its charge back.
// A dry run passes the breakers, and is neither charged nor refused by a window, unless its tool reaches beyond the
// workspace, where nothing can be taken back. A step of an automation counts like any other call, and only once if the
// store runs its transaction again.
//
// While the store is unreachable, a call passes only if every limit that applies to it is configured to fail open. Each
// such decision is reported to the observer.
//
// Refusals: RATE_LIMITED, or QUOTA_EXCEEDED for windows of a day and longer, with the facts "limit", "window" and
// "scope" ("provider", "user" or "tool"); CIRCUIT_OPEN; OVERLOADED, with the fact "scope", if the limits cannot be
// determined. All contain the wait after which the call would pass if nobody else called meanwhile. With enforcement
// REPORT, windows and the store only count and never refuse; breakers, which protect the tools behind them, still do.
class RateLimit final : public Layer {
 public:
  // `clock`, `store`, `breakers` and `observer` (which may be null) must outlive the layer. INVALID_ARGUMENT if the
  // configuration is impossible.
  static absl::StatusOr<std::unique_ptr<RateLimit>> Create(
      const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config, const Clock& clock,
      LimiterStore& store, BreakerRegistry& breakers, LimitObserver* observer = nullptr,
      const config::v1::Identity& identity = config::v1::Identity::default_instance());

  std::string_view name() const override { return "rate_limit"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

  // Every breaker that has seen a call end, by name.
  std::vector<BreakerSnapshot> ListBreakers() const;
  // Also those that no call has passed yet.
  std::vector<BreakerSnapshot> AllBreakers() const;
  // Closes a breaker by hand. NOT_FOUND (ToolError) if there is none of that name.
  absl::StatusOr<BreakerSnapshot> ResetBreaker(std::string_view name);
  // Returns a breaker's state; the same error.
  absl::StatusOr<BreakerSnapshot> GetBreaker(std::string_view name) const;
  // One row for each limit with any usage by this user, signed in or as a guest. The store's error otherwise.
  absl::StatusOr<std::vector<QuotaUsage>> ListQuotaUsage(std::string_view workspace_id, std::string_view user_id) const;

 private:
  struct Breakers {
    CircuitBreaker* tool = nullptr;
    CircuitBreaker* provider = nullptr;  // Null if the tool has no provider.
  };
  struct Permits;
  struct Charge;

  RateLimit(const Clock& clock, LimiterStore& store, LimitObserver* observer)
      : clock_(clock), store_(store), observer_(observer) {}

  void TakeBreakers(BreakerRegistry& registry, const BreakerSettings& settings);
  absl::StatusOr<CircuitBreaker*> FindBreaker(std::string_view name) const;
  // The windows that one of the caller's roles sets for the tool; null if none does.
  const RoleToolLimits* RoleLimitsOf(const ToolCall& call) const;
  absl::Status PassBreakers(const ToolCall& call, Permits& permits);
  absl::Status PassWindows(const ToolCall& call, Charge& charge);
  absl::StatusOr<ToolResult> RunAdmitted(ToolCall& call, Next next, Permits& permits, const Charge& charge);
  absl::Status HandleStoreFailure(const ToolCall& call, const Charge& charge);
  absl::Status RefuseBecauseFull(const ToolCall& call, const Charge& charge, absl::Duration wait);
  absl::Status RefuseOverWindow(const ToolCall& call, const Charge& charge, const ChargeOutcome& outcome);
  void Observe(const ToolCall& call, LimitCheck check, LimitDecision decision);
  void ObserveUse(LimitCheck check, double share);
  void ObserveFault(LimiterFault fault);

  const Clock& clock_;
  LimiterStore& store_;
  LimitObserver* const observer_;
  bool report_only_ = false;
  LimitPlan plan_;
  std::vector<std::string> tool_ids_;                          // By Tool::index.
  std::vector<Breakers> breakers_;                             // By Tool::index.
  std::vector<std::shared_ptr<CircuitBreaker>> all_breakers_;  // By name.
};

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_RATE_LIMIT_H_
