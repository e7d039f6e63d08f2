#include "common/http/special_addresses.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "gtest/gtest.h"

namespace toolgate::http {
namespace {

// The answer for the address as a socket has it, which must be that for its text.
bool IsPublic(const std::string& text) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  const bool is_four = inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1;
  EXPECT_TRUE(is_four || inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) << text;
  const bool is_public =
      IsPublicAddress(is_four ? reinterpret_cast<const sockaddr&>(four) : reinterpret_cast<const sockaddr&>(six));
  EXPECT_EQ(IsPublicAddressText(text), is_public) << text;
  return is_public;
}

TEST(SpecialAddressesTest, AddressesOfTheInternetArePublic) {
  for (const char* const text : {"1.1.1.1",
                                 "8.8.8.8",
                                 "9.255.255.255",
                                 "11.0.0.0",
                                 "100.63.255.255",
                                 "100.128.0.0",
                                 "126.255.255.255",
                                 "128.0.0.1",
                                 "169.253.255.255",
                                 "169.255.0.0",
                                 "172.15.255.255",
                                 "172.32.0.0",
                                 "192.0.1.0",
                                 "192.167.255.255",
                                 "192.169.0.0",
                                 "198.17.255.255",
                                 "198.20.0.0",
                                 "223.255.255.255",
                                 "2606:4700:4700::1111",
                                 "2a00:1450::1",
                                 "2001:4860:4860::8888",
                                 "::ffff:8.8.8.8",
                                 "64:ff9b::8.8.8.8",
                                 "2002:808:808::1"}) {
    EXPECT_TRUE(IsPublic(text)) << text;
  }
}

TEST(SpecialAddressesTest, AllOthersAreNot) {
  for (const char* const text :
       {"0.0.0.0",     "0.1.2.3",         "10.0.0.1",        "10.255.255.255", "100.64.0.1",     "100.127.255.255",
        "127.0.0.1",   "127.255.255.255", "169.254.169.254", "172.16.0.1",     "172.31.255.255", "192.0.0.8",
        "192.0.2.1",   "192.88.99.1",     "192.168.0.1",     "198.18.0.1",     "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1",       "240.0.0.1",       "255.255.255.255"}) {
    EXPECT_FALSE(IsPublic(text)) << text;
  }
}

TEST(SpecialAddressesTest, NorThoseOfIpv6) {
  for (const char* const text : {"::",
                                 "::1",
                                 "::127.0.0.1",
                                 "::ffff:127.0.0.1",
                                 "::ffff:10.0.0.1",
                                 "::ffff:169.254.169.254",
                                 "64:ff9b::127.0.0.1",
                                 "64:ff9b::a9fe:a9fe",
                                 "64:ff9b:1::1",
                                 "100::1",
                                 "2001::1",
                                 "2001:2::1",
                                 "2001:10::1",
                                 "2001:20::1",
                                 "2001:db8::1",
                                 "2002:7f00:1::1",
                                 "2002:a00:1::1",
                                 "3fff::1",
                                 "5f00::1",
                                 "fc00::1",
                                 "fd00::1",
                                 "fe80::1",
                                 "febf::1",
                                 "fec0::1",
                                 "ff02::1",
                                 "4000::1"}) {
    EXPECT_FALSE(IsPublic(text)) << text;
  }
}

TEST(SpecialAddressesTest, OtherFamiliesAreNotPublic) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  EXPECT_FALSE(IsPublicAddress(reinterpret_cast<const sockaddr&>(local)));
}

TEST(SpecialAddressesTest, OtherTextsAreNoPublicAddress) {
  for (const char* const text : {"", "example.com", "1.1.1", "1.1.1.1 ", "[2a00::1]"}) {
    EXPECT_FALSE(IsPublicAddressText(text)) << text;
  }
}

TEST(SpecialAddressesTest, LiteralsAreReadAsResolversReadThem) {
  for (const char* const host : {"127.0.0.1", "127.1", "0", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1",
                                 "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1"}) {
    EXPECT_TRUE(IsSpecialLiteral(host)) << host;
  }
  for (const char* const host :
       {"8.8.8.8", "134744072", "2a00:1450::1", "example.com", "localhost", "127.0.0.1.example.com"}) {
    EXPECT_FALSE(IsSpecialLiteral(host)) << host;
  }
}

}  // namespace
}  // namespace toolgate::http
