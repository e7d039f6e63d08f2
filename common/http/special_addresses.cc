#include "common/http/special_addresses.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace toolgate::http {
namespace {

using Bytes6 = std::array<uint8_t, 16>;

struct Block4 {
  uint32_t prefix;
  int bits;
};

constexpr uint32_t Quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d) { return a << 24 | b << 16 | c << 8 | d; }

constexpr Block4 kSpecial4[] = {
    {Quad(0, 0, 0, 0), 8},        // This network.
    {Quad(10, 0, 0, 0), 8},       // Private.
    {Quad(100, 64, 0, 0), 10},    // Shared by carriers.
    {Quad(127, 0, 0, 0), 8},      // Loopback.
    {Quad(169, 254, 0, 0), 16},   // Link-local, metadata of clouds among it.
    {Quad(172, 16, 0, 0), 12},    // Private.
    {Quad(192, 0, 0, 0), 24},     // Protocol assignments.
    {Quad(192, 0, 2, 0), 24},     // Documentation.
    {Quad(192, 88, 99, 0), 24},   // Relays of 6to4.
    {Quad(192, 168, 0, 0), 16},   // Private.
    {Quad(198, 18, 0, 0), 15},    // Benchmarks.
    {Quad(198, 51, 100, 0), 24},  // Documentation.
    {Quad(203, 0, 113, 0), 24},   // Documentation.
    {Quad(224, 0, 0, 0), 3},      // Multicast, reserved, broadcast.
};

struct Block6 {
  Bytes6 prefix;
  int bits;
};

// Inside of 2000::/3, all of which is otherwise public.
constexpr Block6 kSpecial6[] = {
    {{0x20, 0x01, 0x00}, 23},        // Protocol assignments, Teredo and benchmarks among them.
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // Documentation.
    {{0x3f, 0xff, 0x00}, 20},        // Documentation.
};
constexpr Block6 kGlobal = {{0x20}, 3};
constexpr Block6 k6To4 = {{0x20, 0x02}, 16};
constexpr Block6 kMapped = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr Block6 kNat64 = {{0x00, 0x64, 0xff, 0x9b}, 96};

bool IsIn(const Bytes6& address, const Block6& block) {
  const int whole = block.bits / 8;
  if (!std::equal(address.begin(), address.begin() + whole, block.prefix.begin())) return false;
  const int rest = block.bits % 8;
  return rest == 0 || (address[whole] ^ block.prefix[whole]) >> (8 - rest) == 0;
}

bool IsPublic4(uint32_t address) {
  return std::none_of(std::begin(kSpecial4), std::end(kSpecial4),
                      [address](const Block4& block) { return (address ^ block.prefix) >> (32 - block.bits) == 0; });
}

bool IsPublicEmbedded(const Bytes6& address, size_t at) {
  return IsPublic4(Quad(address[at], address[at + 1], address[at + 2], address[at + 3]));
}

bool IsPublic6(const Bytes6& address) {
  if (IsIn(address, kMapped) || IsIn(address, kNat64)) return IsPublicEmbedded(address, 12);
  if (IsIn(address, k6To4)) return IsPublicEmbedded(address, 2);
  return IsIn(address, kGlobal) && std::none_of(std::begin(kSpecial6), std::end(kSpecial6),
                                                [&address](const Block6& block) { return IsIn(address, block); });
}

}  // namespace

bool IsPublicAddress(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return IsPublic4(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  Bytes6 bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, bytes.size());
  return IsPublic6(bytes);
}

bool IsPublicAddressText(const std::string& text) {
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return IsPublic4(ntohl(four.s_addr));
  Bytes6 six;
  return inet_pton(AF_INET6, text.c_str(), six.data()) == 1 && IsPublic6(six);
}

bool IsSpecialLiteral(const std::string& host) {
  in_addr four{};
  if (inet_aton(host.c_str(), &four) != 0) return !IsPublic4(ntohl(four.s_addr));
  return host.find(':') != std::string::npos && !IsPublicAddressText(host);
}

}  // namespace toolgate::http
