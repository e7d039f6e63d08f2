// The part of layer 4 that outlives a configuration.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_STATE_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_STATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "common/fairness/fair_shares.h"
#include "common/fairness/shared_count.h"
#include "common/fibers/wait_timer.h"
#include "executors/tool.h"
#include "security/execution_tracking/bulkhead.h"
#include "security/execution_tracking/request_tracker.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::execution_tracking {

// The configured shares of a user and of a workspace.
fairness::Shares SharesOf(const config::v1::ExecutionTracking& config);

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
  // The bulkhead of all calls, and that of a module, which is made when it is asked for the first time.
  Bulkhead& all() { return all_; }
  Bulkhead& of_module(const std::string& module) ABSL_LOCKS_EXCLUDED(mutex_);
  // The whole first, then the modules by name.
  std::vector<BulkheadLoad> ListLoads() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Effects under way, whether they run or wait: all of them, and those of a provider's tools, likewise.
  fairness::SharedCount& effects() { return effects_; }
  fairness::SharedCount& effects_of_provider(const std::string& provider) ABSL_LOCKS_EXCLUDED(mutex_);
  // The whole first, then the providers by name.
  std::vector<EffectLoad> ListEffects() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  ExecutionState(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                 std::unique_ptr<RequestTracker> requests, const Clock& clock);

  const config::v1::ExecutionTracking config_;
  const fairness::Shares shares_;
  const std::unique_ptr<RequestTracker> requests_;
  fibers::WaitTimer waits_;
  fairness::SharedCount queued_;
  fairness::SharedCount effects_;
  Bulkhead all_;
  mutable absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Bulkhead>> by_module_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<fairness::SharedCount>> effects_by_provider_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_STATE_H_
