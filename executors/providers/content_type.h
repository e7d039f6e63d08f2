// Media types of responses.
#ifndef TOOLGATE_EXECUTORS_PROVIDERS_CONTENT_TYPE_H_
#define TOOLGATE_EXECUTORS_PROVIDERS_CONTENT_TYPE_H_

#include <string_view>

#include "absl/status/status.h"
#include "common/http/client.h"

namespace toolgate::executors::providers {

// Whether the response says that it is of `type`, for example "application/json", whatever its parameters. A type such
// as "application/problem+json" is JSON too.
bool HasContentType(const http::ResponseHead& head, std::string_view type);

// EXECUTION_ERROR, for the caller, that names the provider unless it is of that type.
absl::Status CheckContentType(std::string_view provider, const http::ResponseHead& head, std::string_view type);

}  // namespace toolgate::executors::providers

#endif  // TOOLGATE_EXECUTORS_PROVIDERS_CONTENT_TYPE_H_
