// Everything that is decided before a load test begins.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_PLAN_H_
#define TOOLGATE_CLI_LOAD_DRIVER_PLAN_H_

#include <grpcpp/channel.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/load/driver/callers.h"
#include "cli/load/profile/profile.h"
#include "cli/load/schedule/arrivals.h"
#include "cli/load/schedule/schedule.h"
#include "toolgate/v1/caller.pb.h"

namespace toolgate::cli::load::driver {

enum class Balance {
  kRoundRobin,
  kLeastInFlight,
};

// Opens a connection of its own to a target.
using OpenChannel = std::function<std::shared_ptr<grpc::Channel>(const std::string& target)>;

struct Plan {
  profile::Profile profile;
  Callers callers = Callers::Single("", "", "");
  v1::Caller caller;  // Fields of the caller other than workspace and user.
  std::vector<std::string> targets;
  OpenChannel open_channel;
  Balance balance = Balance::kRoundRobin;
  int threads = 1;
  int connections = 1;  // For each thread and target.

  // Closed loop: calls in flight. 0: open loop.
  int concurrency = 0;
  absl::Duration think_time = absl::ZeroDuration();
  // Open loop. Its stages begin after the warm-up.
  std::optional<schedule::Schedule> schedule;
  schedule::Pattern pattern = schedule::Pattern::kEven;
  int max_in_flight = 0;

  absl::Duration warm_up = absl::ZeroDuration();
  absl::Duration duration = absl::InfiniteDuration();  // Without the warm-up.
  int64_t max_calls = 0;                               // 0: no bound. Includes the warm-up.
  absl::Duration call_timeout = absl::Seconds(30);

  uint64_t seed = 1;
  std::string run_id;  // Unique; part of idempotency keys.
  absl::CivilDay today;

  bool open_loop() const { return concurrency == 0; }
};

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_PLAN_H_
