#include "security/rate_limit/limit_observer.h"

#include <array>
#include <cstddef>

namespace toolgate::security::rate_limit {

std::string_view LimitCheckName(LimitCheck check) {
  static constexpr std::array<std::string_view, 4> kNames = {"circuit_breaker", "provider_throttle", "user_limit",
                                                             "tool_limit"};
  return kNames[static_cast<size_t>(check)];
}

std::string_view LimitDecisionName(LimitDecision decision) {
  static constexpr std::array<std::string_view, 5> kNames = {"allowed", "refused", "shadow", "fail_open",
                                                             "fail_closed"};
  return kNames[static_cast<size_t>(decision)];
}

}  // namespace toolgate::security::rate_limit
