// Rules that a request keeps before a byte of it is sent.
#ifndef TOOLGATE_COMMON_HTTP_REQUEST_RULES_H_
#define TOOLGATE_COMMON_HTTP_REQUEST_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/http/client.h"
#include "common/http/http_url.h"

namespace toolgate::http {

// INVALID_ARGUMENT for a URL, method or header that cannot be sent as it is: above all, one whose line breaks would
// become headers. PERMISSION_DENIED for a host that is written as a special address which `private_addresses` does not
// allow; names are judged by the address that they lead to, when a connection is made. Answers the parsed URL. Messages
// quote no values.
absl::StatusOr<HttpUrl> CheckRequest(const Request& request);

// Changes the request into the one that follows a redirect with `status` to `location`, an absolute URL: the method as
// fetch (https://fetch.spec.whatwg.org/#http-redirect-fetch) has it. To another origin only headers go that describe
// the request or its body, since all others may be credentials.
void FollowRedirect(int status, const HttpUrl& from, const HttpUrl& to, Request& request);

// Whether RFC 9110 calls the method idempotent.
bool IsIdempotent(std::string_view method);

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_REQUEST_RULES_H_
