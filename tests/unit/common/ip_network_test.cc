#include "common/ip_network.h"

#include <arpa/inet.h>

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;

IpAddress V4(const char* text) {
  in_addr address{};
  EXPECT_EQ(inet_pton(AF_INET, text, &address), 1) << text;
  return ToIpAddress(address);
}

IpAddress V6(const char* text) {
  in6_addr address{};
  EXPECT_EQ(inet_pton(AF_INET6, text, &address), 1) << text;
  return ToIpAddress(address);
}

TEST(IpNetworkTest, HoldsTheAddressesOfItsPrefix) {
  const struct {
    std::string_view network;
    IpAddress address;
    bool contains;
  } rows[] = {
      {"192.0.2.7", V4("192.0.2.7"), true},        {"192.0.2.7", V4("192.0.2.6"), false},
      {"192.0.2.7", V6("::ffff:192.0.2.7"), true}, {"192.0.2.0/24", V4("192.0.2.255"), true},
      {"192.0.2.0/24", V4("192.0.3.0"), false},    {"192.0.2.128/25", V4("192.0.2.127"), false},
      {"192.0.2.128/25", V4("192.0.2.129"), true}, {"0.0.0.0/0", V4("8.8.8.8"), true},
      {"0.0.0.0/0", V6("2001:db8::1"), false},     {"2001:db8::/32", V6("2001:db8:ffff::1"), true},
      {"2001:db8::/32", V6("2001:db9::"), false},  {"2001:db8::1", V6("2001:db8::2"), false},
      {"::/0", V6("2001:db8::2"), true},
  };
  for (const auto& row : rows) {
    const auto network = IpNetwork::Parse(row.network);
    ASSERT_TRUE(network.ok()) << row.network;
    EXPECT_EQ(network->Contains(row.address), row.contains) << row.network;
  }
}

TEST(IpNetworkTest, AnAddressOfWhichAPartIsKnownIsComparedByThatPart) {
  EXPECT_TRUE(IpNetwork::Parse("2001:db8::1")->Contains(V6("2001:db8::"), 64));
  EXPECT_FALSE(IpNetwork::Parse("2001:db8:0:1::1")->Contains(V6("2001:db8::"), 64));
}

TEST(IpNetworkTest, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "/", "proxy", "192.0.2", "192.0.2.7/33", "192.0.2.7/", "192.0.2.7/-1",
                                      "192.0.2.7/8x", "::1/129", "[::1]", "192.0.2.7:80", "192.0.2.7/ 8"}) {
    EXPECT_THAT(IpNetwork::Parse(text).status().message(), HasSubstr("is no address and no network")) << text;
  }
  EXPECT_FALSE(ParseNetworks(std::vector<std::string>{"::1", "x"}).ok());
}

}  // namespace
}  // namespace toolgate
