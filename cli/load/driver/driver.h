// Drives a load test.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_DRIVER_H_
#define TOOLGATE_CLI_LOAD_DRIVER_DRIVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/load/driver/lane.h"
#include "cli/load/driver/plan.h"
#include "cli/load/driver/set_up.h"
#include "cli/load/driver/shared_state.h"
#include "cli/load/stats/tally.h"

namespace toolgate::cli::load::driver {

// Runs a plan once: Connect, SetUp, Start, and Join when `done`. One thread calls these functions; Stop may be called
// from any.
class Driver {
 public:
  explicit Driver(Plan plan);
  // Ends a run that was started.
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Waits until all connections stand. Returns the first target that cannot be reached.
  std::optional<std::string> Connect(absl::Duration timeout);
  std::optional<SetUpFailure> SetUp(const std::function<void(int64_t done, int64_t total)>& progress,
                                    const std::function<bool()>& stop);
  void Start();
  // Starts no further calls. Those that run are awaited.
  void Stop();
  // Stops, and cancels the calls that run.
  void CancelAll();
  // True when no call runs and none will start. Follows the end of the time within the time-out of a call.
  bool done() const;
  void Join();

  // Seconds since Start.
  double elapsed() const;
  // True once no call starts any more because the time is over or Stop was called.
  bool stopped() const { return NowNanos() >= shared_.stop_at; }
  // Counts since the last call of this function. `begin` and `end` are left to the caller.
  stats::Interval TakeInterval();
  stats::Tally tally() const;
  // Measured time in seconds: from the end of the warm-up to the end of the time or to Stop. If a number of calls ended
  // the run, until the end of the last one.
  double measured_seconds() const;

  const Plan& plan() const { return plan_; }
  // Names of the operations of the tally: of each kind of calls the call, the decision and the repeated call.
  std::vector<std::string> OperationNames() const;
  // The tools of the same.
  std::vector<std::string> OperationTools() const;

 private:
  const Plan plan_;
  SharedState shared_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  bool started_ = false;
};

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_DRIVER_H_
