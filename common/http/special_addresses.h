// Addresses that are not of the public Internet.
#ifndef TOOLGATE_COMMON_HTTP_SPECIAL_ADDRESSES_H_
#define TOOLGATE_COMMON_HTTP_SPECIAL_ADDRESSES_H_

#include <string>

struct sockaddr;

namespace toolgate::http {

// Whether the address is that of a host on the public Internet. False for loopback, private, link-local, shared,
// documentation, benchmarking, multicast and reserved addresses (RFC 6890 and IANA's registries of special-purpose
// addresses), for IPv6 addresses that embed such an IPv4 address (mapped, NAT64, 6to4), and for other families.
bool IsPublicAddress(const sockaddr& address);

// The same of a text such as "192.0.2.1" or "2001:db8::1"; false for any other text.
bool IsPublicAddressText(const std::string& text);

// Whether a URL's host is an address in one of the forms that resolvers take ("127.1", "0x7f000001") and is not public.
bool IsSpecialLiteral(const std::string& host);

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_SPECIAL_ADDRESSES_H_
