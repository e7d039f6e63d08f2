#include "services/config/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::services::config {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(what), "; write host:port, for example 127.0.0.1:50051, or unix:/path/of/socket"));
}

absl::StatusOr<ListenAddress> ParseUnix(std::string_view path) {
  constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
  if (path.starts_with("//")) path.remove_prefix(2);  // gRPC's other form, unix:///path.
  if (!path.starts_with('/')) return Wrong("a Unix socket needs an absolute path");
  if (path.size() > kMaxPath) return Wrong(absl::StrCat("a Unix socket's path may have ", kMaxPath, " bytes at most"));
  return ListenAddress{std::string(path), "", 0};
}

std::optional<int> ParsePort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) return std::nullopt;
  return port;
}

bool IsHost(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  for (const char c : host) {
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!fits) return false;
  }
  return true;
}

}  // namespace

bool ListenAddress::is_local() const {
  if (!unix_path.empty() || host == "localhost") return true;
  in_addr ipv4;
  if (inet_pton(AF_INET, host.c_str(), &ipv4) == 1) return (ntohl(ipv4.s_addr) >> 24) == 127;
  in6_addr ipv6;
  return inet_pton(AF_INET6, host.c_str(), &ipv6) == 1 && IN6_IS_ADDR_LOOPBACK(&ipv6);
}

absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) return ParseUnix(text.substr(kUnixPrefix.size()));
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Wrong("no port");
  const std::optional<int> port = ParsePort(text.substr(colon + 1));
  if (!port.has_value()) return Wrong("the port is not a number from 0 to 65535");
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string inside(host.substr(1, host.size() - 2));
    in6_addr ipv6;
    if (inet_pton(AF_INET6, inside.c_str(), &ipv6) != 1) return Wrong("what stands in brackets is no IPv6 address");
    return ListenAddress{"", inside, *port};
  }
  if (host.find(':') != std::string_view::npos) return Wrong("an IPv6 address needs brackets around it");
  if (!IsHost(host)) return Wrong(host.empty() ? "no host" : "the host is no name and no address");
  return ListenAddress{"", std::string(host), *port};
}

}  // namespace toolgate::services::config
