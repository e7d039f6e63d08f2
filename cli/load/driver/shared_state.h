// State that the threads of a load test share.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_SHARED_STATE_H_
#define TOOLGATE_CLI_LOAD_DRIVER_SHARED_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <limits>
#include <vector>

#include "cli/load/driver/plan.h"
#include "cli/load/profile/pools.h"

namespace toolgate::cli::load::driver {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Nanoseconds of CLOCK_MONOTONIC, the clock of all times of a run.
inline int64_t NowNanos() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Thread-safe.
struct SharedState {
  explicit SharedState(const Plan& owned_plan) : plan(owned_plan), target_in_flight(owned_plan.targets.size()) {
    for (size_t i = 0; i < plan.callers.workspace_count(); ++i) pools.emplace_back(plan.profile.pools.size());
  }

  const Plan& plan;
  std::deque<profile::Pools> pools;      // By workspace.
  int64_t begin = 0;                     // Set before the threads start.
  int64_t measure_from = 0;              // End of the warm-up.
  std::atomic<int64_t> stop_at{kNever};  // No call starts from here on.
  std::atomic<int64_t> last_end{0};      // End of the latest RPC.
  std::atomic<int64_t> next_call{0};
  std::atomic<int64_t> in_flight{0};  // Calls, with all RPCs of a confirmation counted as one.
  std::deque<std::atomic<int64_t>> target_in_flight;
};

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_SHARED_STATE_H_
