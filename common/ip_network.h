// Addresses and networks of the Internet Protocol.
#ifndef TOOLGATE_COMMON_IP_NETWORK_H_
#define TOOLGATE_COMMON_IP_NETWORK_H_

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate {

// An IPv6 address, or an IPv4 address in IPv6's form (::ffff:0:0/96), in the order of the network.
using IpAddress = std::array<uint8_t, 16>;

IpAddress ToIpAddress(const in_addr& address);
IpAddress ToIpAddress(const in6_addr& address);
bool IsIpv4(const IpAddress& address);

// A network by its prefix. Immutable.
class IpNetwork {
 public:
  // "192.0.2.7", "192.0.2.0/24", "2001:db8::1" or "2001:db8::/32". INVALID_ARGUMENT says so.
  static absl::StatusOr<IpNetwork> Parse(std::string_view text);
  // Of an address of which only the first `known_bits` are meant, those count.
  bool Contains(const IpAddress& address, int known_bits = 128) const;

 private:
  IpAddress address_{};
  int bits_ = 128;
};

// Each of `texts`, by IpNetwork::Parse.
template <typename Texts>
absl::StatusOr<std::vector<IpNetwork>> ParseNetworks(const Texts& texts) {
  std::vector<IpNetwork> networks;
  for (const std::string& text : texts) {
    absl::StatusOr<IpNetwork> network = IpNetwork::Parse(text);
    if (!network.ok()) return network.status();
    networks.push_back(*network);
  }
  return networks;
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_IP_NETWORK_H_
