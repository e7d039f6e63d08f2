// The Redis server that the configuration names.
#ifndef TOOLGATE_SERVICES_APP_OPEN_REDIS_H_
#define TOOLGATE_SERVICES_APP_OPEN_REDIS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/redis/client.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::app {

// Connects to nothing yet. INVALID_ARGUMENT if the address or a file cannot be used.
absl::StatusOr<std::unique_ptr<redis::Client>> OpenRedis(const toolgate::config::v1::Redis& settings);

}  // namespace toolgate::services::app

#endif  // TOOLGATE_SERVICES_APP_OPEN_REDIS_H_
