// Absolute URLs of http and https.
#ifndef TOOLGATE_COMMON_HTTP_HTTP_URL_H_
#define TOOLGATE_COMMON_HTTP_HTTP_URL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace toolgate::http {

// The parts of a URL (RFC 3986) that a request depends on.
struct HttpUrl {
  bool tls = false;
  std::string host;  // In lower case; an IPv6 address without brackets.
  uint16_t port = 0;
  std::string path;   // "/" or longer, as written.
  std::string query;  // With its question mark; empty if there is none.

  // "https://example.com", with the port unless it is the scheme's own.
  std::string origin() const;
  // Without the fragment.
  std::string text() const { return origin() + path + query; }

  // INVALID_ARGUMENT unless it is absolute, of http or https, names a host, has no user or password and only characters
  // that a URL may have. The message quotes neither path nor query, which may be secret.
  static absl::StatusOr<HttpUrl> Parse(std::string_view text);
};

// Whether a text begins with http:// or https://, in any case.
bool HasHttpScheme(std::string_view text);

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_HTTP_URL_H_
