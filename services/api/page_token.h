// Tokens that continue a listing.
#ifndef TOOLGATE_SERVICES_API_PAGE_TOKEN_H_
#define TOOLGATE_SERVICES_API_PAGE_TOKEN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::services::api {

// `position` says where the next page begins, in the listing's own terms; `filters` is everything else in the request
// that decides what is listed, in any fixed form. The token holds a digest of the filters, so that it fits no other
// listing. It is opaque, not secret: it grants nothing that the request would not be given anyway.
std::string MakePageToken(std::string_view position, std::string_view filters);
// "" for an empty token. INVALID_PARAMS when it is malformed or came with other filters.
absl::StatusOr<std::string> ReadPageToken(std::string_view token, std::string_view filters);
// INVALID_PARAMS: what stands in the token is no position of the listing.
absl::Status MalformedPageToken();

// The size of a page: `fallback` for 0. INVALID_PARAMS when it is negative or above `max`.
absl::StatusOr<int64_t> PageSize(int32_t asked, int64_t fallback, int64_t max);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_PAGE_TOKEN_H_
