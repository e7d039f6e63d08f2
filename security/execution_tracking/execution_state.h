// The part of layer 4 that outlives a configuration.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_STATE_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_STATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/fibers/wait_timer.h"
#include "executors/tool.h"
#include "security/execution_tracking/bounded_count.h"
#include "security/execution_tracking/bulkhead.h"
#include "security/execution_tracking/request_tracker.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::execution_tracking {

// Load of a bulkhead.
struct BulkheadLoad {
  std::string module;  // "" for all calls together.
  int64_t places = 0;
  int64_t in_flight = 0;
  int64_t waiting = 0;
};

// Number of effects of a provider's tools that are under way.
struct EffectLoad {
  std::string provider;  // "" for all effects together.
  int64_t bound = 0;
  int64_t under_way = 0;
};

// Calls in flight and usage of requests. A reload makes a new ExecutionTracking over the same state, so that it neither
// gives a request a second budget nor lets more calls run than there are places. The sizes (places, calls that may
// wait, requests remembered) are those of the configuration it was made with. Thread-safe.
class ExecutionState {
 public:
  // `clock` must outlive the state. INVALID_ARGUMENT with the first problem of CheckRanges or CheckExecutionTracking.
  static absl::StatusOr<std::unique_ptr<ExecutionState>> Create(const std::vector<executors::Tool>& tools,
                                                                const config::v1::ExecutionTracking& config,
                                                                const Clock& clock);

  RequestTracker& requests() { return *requests_; }
  // In which every call of the process waits.
  fibers::WaitTimer& waits() { return waits_; }
  // The bulkhead of all calls, and that of a module of one of the tools.
  Bulkhead& all() { return all_; }
  Bulkhead& of_module(const std::string& module) { return *by_module_.at(module); }
  // The whole first, then the modules by name.
  std::vector<BulkheadLoad> ListLoads() const;

  // Effects under way, whether they run or wait: all of them, and those of a provider that one of the tools names.
  BoundedCount& effects() { return effects_; }
  BoundedCount& effects_of_provider(const std::string& provider) { return *effects_by_provider_.at(provider); }
  // The whole first, then the providers by name.
  std::vector<EffectLoad> ListEffects() const;

 private:
  ExecutionState(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                 std::unique_ptr<RequestTracker> requests, const Clock& clock);

  const std::unique_ptr<RequestTracker> requests_;
  fibers::WaitTimer waits_;
  BoundedCount queued_;
  BoundedCount effects_;
  Bulkhead all_;
  std::map<std::string, std::unique_ptr<Bulkhead>> by_module_;
  std::map<std::string, std::unique_ptr<BoundedCount>> effects_by_provider_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_STATE_H_
