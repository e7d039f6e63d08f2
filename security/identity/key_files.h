// Reads key sets and secrets from files and over HTTP.
#ifndef TOOLGATE_SECURITY_IDENTITY_KEY_FILES_H_
#define TOOLGATE_SECURITY_IDENTITY_KEY_FILES_H_

#include <atomic>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace toolgate::security::identity {

// Returns the whole of a regular file of at most 256 KiB. NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT; the message
// names the path but not the content.
absl::StatusOr<std::string> ReadKeyFile(const std::string& path);

// The same for secrets: also INVALID_ARGUMENT if users other than its owner and group may read or write it.
absl::StatusOr<std::string> ReadSecretFile(const std::string& path);

struct HttpGet {
  std::string url;      // https, or http.
  std::string ca_file;  // PEM; empty: the authorities of the system.
  absl::Duration timeout;
};

// The body of a response 200 of at most 256 KiB. Redirects are not followed; the server's certificate is checked.
// UNAVAILABLE otherwise. Thread-safe; returns soon after `stop` is set.
absl::StatusOr<std::string> FetchOverHttp(const HttpGet& request, const std::atomic<bool>& stop);

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_KEY_FILES_H_
