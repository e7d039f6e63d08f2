// Decisions of layer 3, for metrics.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_OBSERVER_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_OBSERVER_H_

#include <string_view>

#include "coordination/breakers/circuit_breaker.h"

namespace toolgate::security::rate_limit {

using coordination::breakers::BreakerState;

// In the order in which they are made.
enum class LimitCheck { kCircuitBreaker, kProviderThrottle, kUserLimit, kToolLimit };

enum class LimitDecision {
  kAllowed,
  kRefused,
  kShadow,      // Would have been refused, but enforcement is REPORT.
  kFailOpen,    // The store was unreachable, and the configuration lets calls pass.
  kFailClosed,  // The store was unreachable or full, and the call was refused.
};

// Reason for which the state of the limits could not be used. kFull: no room for another user.
enum class LimiterFault { kUnreachable, kFull };

// Thread-safe; called on the path of calls, so it must be quick and must not block.
class LimitObserver {
 public:
  virtual ~LimitObserver() = default;

  // Called for each check that examined a window, and for each refusal. Tools without limits cause no kAllowed.
  virtual void OnDecision(std::string_view tool_id, LimitCheck check, LimitDecision decision) = 0;
  // Called for each check whose windows were charged, or which refused: `share` of its fullest window was used then, 0
  // to 1; more than 1 for a call that was over the limit, refused or reported.
  virtual void OnUse(LimitCheck /*check*/, double /*share*/) {}
  // Called once for each call whose windows could not be checked, whatever was decided.
  virtual void OnFault(LimiterFault /*fault*/) {}
  // `breaker` is "tool:<id>" or "provider:<name>".
  virtual void OnBreakerState(std::string_view breaker, BreakerState state) = 0;
};

// "circuit_breaker" and so on: label values.
std::string_view LimitCheckName(LimitCheck check);
std::string_view LimitDecisionName(LimitDecision decision);

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_OBSERVER_H_
