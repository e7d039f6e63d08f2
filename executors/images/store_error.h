// Failures of the blob store as callers see them.
#ifndef TOOLGATE_EXECUTORS_IMAGES_STORE_ERROR_H_
#define TOOLGATE_EXECUTORS_IMAGES_STORE_ERROR_H_

#include <string_view>

#include "absl/status/status.h"

namespace toolgate::executors::images {

// EXECUTION_ERROR, retryable if the store is out of reach: "<what>: the blob store answered with the HTTP status 503".
// A status that is a ToolError, such as that of a cancelled call, stays as it is.
absl::Status StoreError(std::string_view what, const absl::Status& status);

}  // namespace toolgate::executors::images

#endif  // TOOLGATE_EXECUTORS_IMAGES_STORE_ERROR_H_
