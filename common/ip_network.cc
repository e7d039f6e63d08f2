#include "common/ip_network.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate {
namespace {

constexpr int kIpv4Prefix = 96;  // Bits before an IPv4 address in IPv6's form.

absl::Status NoNetwork(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", ToAbsl(text), "\" is no address and no network; write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32"));
}

// The address, and the length of its own form in bits; 0: it is none.
int ParseAddress(const std::string& text, IpAddress& address) {
  in_addr ipv4{};
  in6_addr ipv6{};
  if (inet_pton(AF_INET, text.c_str(), &ipv4) == 1) {
    address = ToIpAddress(ipv4);
    return 32;
  }
  if (inet_pton(AF_INET6, text.c_str(), &ipv6) != 1) return 0;
  address = ToIpAddress(ipv6);
  return 128;
}

bool EqualBits(const IpAddress& left, const IpAddress& right, int bits) {
  const auto whole = static_cast<ptrdiff_t>(bits / 8);
  if (!std::equal(left.begin(), left.begin() + whole, right.begin())) return false;
  const int rest = bits % 8;
  return rest == 0 || (left[static_cast<size_t>(whole)] ^ right[static_cast<size_t>(whole)]) >> (8 - rest) == 0;
}

}  // namespace

IpAddress ToIpAddress(const in_addr& address) {
  IpAddress bytes{};
  bytes[10] = bytes[11] = 0xff;
  std::memcpy(bytes.data() + kIpv4Prefix / 8, &address, sizeof(address));
  return bytes;
}

IpAddress ToIpAddress(const in6_addr& address) {
  IpAddress bytes{};
  std::memcpy(bytes.data(), &address, sizeof(address));
  return bytes;
}

bool IsIpv4(const IpAddress& address) { return EqualBits(address, ToIpAddress(in_addr{}), kIpv4Prefix); }

absl::StatusOr<IpNetwork> IpNetwork::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  IpNetwork network;
  const int longest = ParseAddress(std::string(text.substr(0, slash)), network.address_);
  if (longest == 0) return NoNetwork(text);
  int bits = longest;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(prefix.data(), prefix.data() + prefix.size(), bits);
    const bool whole = error == std::errc() && end == prefix.data() + prefix.size();
    if (!whole || bits < 0 || bits > longest) return NoNetwork(text);
  }
  network.bits_ = longest == 32 ? kIpv4Prefix + bits : bits;
  return network;
}

bool IpNetwork::Contains(const IpAddress& address, int known_bits) const {
  return EqualBits(address_, address, std::min(bits_, known_bits));
}

}  // namespace toolgate
