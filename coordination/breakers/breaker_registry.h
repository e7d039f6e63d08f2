// The circuit breakers of a process.
#ifndef TOOLGATE_COORDINATION_BREAKERS_BREAKER_REGISTRY_H_
#define TOOLGATE_COORDINATION_BREAKERS_BREAKER_REGISTRY_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "coordination/breakers/circuit_breaker.h"

namespace toolgate::coordination::breakers {

// Outlives the configuration that a reload replaces: a breaker that is open stays open. Local to this process.
// Thread-safe.
class BreakerRegistry {
 public:
  // `clock` must outlive the breakers. `on_change` is called for all of them.
  explicit BreakerRegistry(const Clock& clock, CircuitBreaker::OnChange on_change = nullptr)
      : clock_(clock), on_change_(std::move(on_change)) {}

  // The breaker of that name. If it was made with other settings, it is made anew: it forgets what it has counted, and
  // an open one stays open for the time that was left, at most for that of the new settings.
  std::shared_ptr<CircuitBreaker> Get(const std::string& name, const BreakerSettings& settings)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const Clock& clock_;
  const CircuitBreaker::OnChange on_change_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<CircuitBreaker>> breakers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::coordination::breakers

#endif  // TOOLGATE_COORDINATION_BREAKERS_BREAKER_REGISTRY_H_
