// The refusal of what this service does not serve.
#ifndef TOOLGATE_SERVICES_API_UNIMPLEMENTED_H_
#define TOOLGATE_SERVICES_API_UNIMPLEMENTED_H_

#include <string_view>

#include "absl/status/status.h"

namespace toolgate::services::api {

// UNIMPLEMENTED with `message` and the reason NOT_CONFIGURED.
absl::Status Unimplemented(std::string_view message);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_UNIMPLEMENTED_H_
