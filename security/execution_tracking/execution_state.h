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
#include "executors/tool.h"
#include "security/execution_tracking/bulkhead.h"
#include "security/execution_tracking/request_tracker.h"
#include "security/execution_tracking/waiting_room.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::execution_tracking {

// How full a bulkhead is.
struct BulkheadLoad {
  std::string module;  // "" for all calls together.
  int64_t places = 0;
  int64_t in_flight = 0;
  int64_t waiting = 0;
};

// Which calls are in flight and what requests have used. A reload makes a new ExecutionTracking over the same state, so
// that it neither gives a request a second budget nor lets more calls run than there are places. The sizes (places,
// calls that may wait, requests remembered) are those of the configuration it was made with. Thread-safe.
class ExecutionState {
 public:
  // `clock` must outlive the state. INVALID_ARGUMENT with the first problem of CheckExecutionTracking.
  static absl::StatusOr<std::unique_ptr<ExecutionState>> Create(const std::vector<executors::Tool>& tools,
                                                                const config::v1::ExecutionTracking& config,
                                                                const Clock& clock);

  RequestTracker& requests() { return *requests_; }
  // The bulkhead of all calls, and that of a module of one of the tools.
  Bulkhead& all() { return all_; }
  Bulkhead& of_module(const std::string& module) { return *by_module_.at(module); }
  // The whole first, then the modules by name.
  std::vector<BulkheadLoad> ListLoads() const;

 private:
  ExecutionState(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                 std::unique_ptr<RequestTracker> requests);

  const std::unique_ptr<RequestTracker> requests_;
  WaitingRoom room_;
  Bulkhead all_;
  std::map<std::string, std::unique_ptr<Bulkhead>> by_module_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_STATE_H_
