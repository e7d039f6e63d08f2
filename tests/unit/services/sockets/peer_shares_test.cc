#include "services/sockets/peer_shares.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace toolgate::services::sockets {
namespace {

Peer V4(const std::string& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  EXPECT_EQ(inet_pton(AF_INET, text.c_str(), &address.sin_addr), 1) << text;
  return Peer::Of(reinterpret_cast<const sockaddr*>(&address));
}

Peer V6(const std::string& text) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &address.sin6_addr), 1) << text;
  return Peer::Of(reinterpret_cast<const sockaddr*>(&address));
}

// Connections that `peer` gets until it is refused.
int TakeAll(PeerShares& shares, const Peer& peer) {
  int count = 0;
  while (shares.Enter(peer)) ++count;
  return count;
}

TEST(PeerTest, KnowsWhoIsWho) {
  EXPECT_EQ(V4("192.0.2.7"), V6("::ffff:192.0.2.7")) << "a listener of both families sees the second";
  EXPECT_NE(V4("192.0.2.7"), V4("192.0.2.8"));
  EXPECT_EQ(V6("2001:db8::1"), V6("2001:db8::ffff:1")) << "one network";
  EXPECT_NE(V6("2001:db8:0:1::1"), V6("2001:db8:0:2::1"));
  EXPECT_NE(V6("::1"), V4("127.0.0.1"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_FALSE(Peer::Of(reinterpret_cast<const sockaddr*>(&address)).has_address);
  EXPECT_FALSE(Peer::Of(nullptr).has_address);
  EXPECT_FALSE(Peer::OfSocket(-1).has_address);
}

TEST(PeerSharesTest, APeerAloneHoldsAFifth) {
  PeerShares shares({.max_connections = 1000});
  EXPECT_EQ(TakeAll(shares, V4("192.0.2.1")), 200);
  EXPECT_EQ(shares.connections(), 200);
}

// With a number for each address, four addresses of 256 held all of 1,000.
TEST(PeerSharesTest, ManyPeersLeaveRoomForOneMore) {
  PeerShares shares({.max_connections = 1000});
  for (int i = 1; i <= 12; ++i) TakeAll(shares, V4(absl::StrCat("192.0.2.", i)));
  EXPECT_GT(1000 - shares.connections(), 50);
  EXPECT_GE(TakeAll(shares, V4("198.51.100.1")), 10);
  for (int i = 0; i < 100; ++i) TakeAll(shares, V6(absl::StrCat("2001:db8::", i)));
  EXPECT_TRUE(shares.Enter(V6("2001:db8:1::1"))) << "the addresses of one network are one peer";
}

TEST(PeerSharesTest, TheFirstFewAreTakenAsLongAsThereIsRoom) {
  PeerShares shares({.max_connections = 6});
  EXPECT_EQ(TakeAll(shares, V4("192.0.2.1")), PeerShares::kFirstFew);
  EXPECT_EQ(TakeAll(shares, V4("192.0.2.2")), 2);
  EXPECT_FALSE(shares.Enter(V4("192.0.2.3")));
}

TEST(PeerSharesTest, WhoLeavesMakesRoom) {
  PeerShares shares({.max_connections = 100});
  const Peer peer = V4("192.0.2.1");
  const int taken = TakeAll(shares, peer);
  shares.Leave(peer);
  EXPECT_TRUE(shares.Enter(peer));
  EXPECT_FALSE(shares.Enter(peer));
  for (int i = 0; i < taken; ++i) shares.Leave(peer);
  EXPECT_EQ(shares.connections(), 0);
  EXPECT_EQ(TakeAll(shares, peer), taken);
}

TEST(PeerSharesTest, TheBoundForEachPeerHoldsBesides) {
  PeerShares shares({.max_connections = 1000, .max_per_peer = 10});
  EXPECT_EQ(TakeAll(shares, V4("192.0.2.1")), 10);
}

TEST(PeerSharesTest, TrustedFrontsAndUnixSocketsTakeWhatThereIs) {
  const std::vector<IpNetwork> trusted = ParseNetworks(std::vector<std::string>{"192.0.2.0/24", "2001:db8::7"}).value();
  PeerShares fronts({.max_connections = 100, .max_per_peer = 10, .trusted = trusted});
  EXPECT_EQ(TakeAll(fronts, V4("192.0.2.9")), 100);
  fronts.Leave(V4("192.0.2.9"));
  EXPECT_TRUE(fronts.Enter(V6("2001:db8::7")));
  PeerShares unix_socket({.max_connections = 100});
  EXPECT_EQ(TakeAll(unix_socket, Peer()), 100);
}

}  // namespace
}  // namespace toolgate::services::sockets
