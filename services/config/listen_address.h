// Listening address of a server.
#ifndef TOOLGATE_SERVICES_CONFIG_LISTEN_ADDRESS_H_
#define TOOLGATE_SERVICES_CONFIG_LISTEN_ADDRESS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace toolgate::services::config {

struct ListenAddress {
  std::string unix_path;  // If set: a Unix socket, and the rest is ignored.
  std::string host;       // A name, an IPv4 address, or an IPv6 address without brackets.
  int port = 0;           // 0: any free one.

  // Reachable from this machine only.
  bool is_local() const;
};

// Parses "host:port", "[IPv6]:port" or "unix:/path". INVALID_ARGUMENT says what would be right.
absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_LISTEN_ADDRESS_H_
