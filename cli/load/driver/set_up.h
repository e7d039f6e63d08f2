// Calls before a load test.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_SET_UP_H_
#define TOOLGATE_CLI_LOAD_DRIVER_SET_UP_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/load/driver/shared_state.h"

namespace toolgate::cli::load::driver {

struct SetUpFailure {
  std::string tool;
  std::string workspace;
  grpc::Status status;  // OK if the tool ran and failed.
  std::string message;
};

// Makes the calls of the profile's set-up through the first target: step by step, and the calls of one step side by
// side. `progress` is told of finished calls, one at a time, from several threads. Stops at the first failure, and when
// `stop` returns true.
std::optional<SetUpFailure> SetUp(SharedState& shared, const std::function<void(int64_t done, int64_t total)>& progress,
                                  const std::function<bool()>& stop);

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_SET_UP_H_
