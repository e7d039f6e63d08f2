#include "coordination/breakers/breaker_registry.h"

#include <algorithm>
#include <utility>

namespace toolgate::coordination::breakers {

std::shared_ptr<CircuitBreaker> BreakerRegistry::Get(const std::string& name, const BreakerSettings& settings) {
  absl::Duration open_for = absl::ZeroDuration();
  std::shared_ptr<CircuitBreaker> breaker;
  {
    absl::MutexLock lock(&mutex_);
    std::shared_ptr<CircuitBreaker>& held = breakers_[name];
    if (held != nullptr && held->settings() == settings) return held;
    const std::shared_ptr<CircuitBreaker> earlier =
        std::exchange(held, std::make_shared<CircuitBreaker>(name, settings, clock_, on_change_));
    breaker = held;
    if (earlier != nullptr && earlier->state() != BreakerState::kClosed) {
      const BreakerSnapshot snapshot = earlier->Snapshot();
      const absl::Duration left =
          snapshot.retry_at.has_value() ? *snapshot.retry_at - clock_.Now() : absl::ZeroDuration();
      // One that was trying whether its tool works again goes on with that.
      open_for = std::clamp(left, absl::Nanoseconds(1), settings.open_duration);
    }
  }
  if (open_for > absl::ZeroDuration()) breaker->Open(open_for);
  return breaker;
}

}  // namespace toolgate::coordination::breakers
