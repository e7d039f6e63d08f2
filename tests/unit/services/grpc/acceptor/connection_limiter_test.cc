#include "services/grpc/acceptor/connection_limiter.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "gtest/gtest.h"

namespace toolgate::services::grpc::acceptor {
namespace {

// Both ends of a connection; the first is the server's.
class Pair {
 public:
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds_.data()), 0); }
  ~Pair() {
    Close();
    close(fds_[1]);
  }
  int server() const { return fds_[0]; }
  void Close() {
    if (!closed_) close(fds_[0]);
    closed_ = true;
  }

 private:
  std::array<int, 2> fds_{};
  bool closed_ = false;
};

TEST(ConnectionLimiterTest, AdmitsUpToTheCap) {
  ConnectionLimiter limiter({.max_connections = 2});
  Pair a;
  Pair b;
  Pair c;
  EXPECT_TRUE(limiter.Admit(a.server()));
  EXPECT_TRUE(limiter.Admit(b.server()));
  EXPECT_FALSE(limiter.Admit(c.server()));
  EXPECT_EQ(limiter.Count(), 2);
}

TEST(ConnectionLimiterTest, AClosedConnectionMakesRoom) {
  ConnectionLimiter limiter({.max_connections = 1});
  Pair a;
  Pair b;
  ASSERT_TRUE(limiter.Admit(a.server()));
  a.Close();
  EXPECT_TRUE(limiter.Admit(b.server()));
  EXPECT_EQ(limiter.Count(), 1);
}

TEST(ConnectionLimiterTest, AReusedDescriptorNumberIsAnotherConnection) {
  ConnectionLimiter limiter({.max_connections = 1});
  auto first = std::make_unique<Pair>();
  const int number = first->server();
  ASSERT_TRUE(limiter.Admit(number));
  first.reset();
  Pair second;
  ASSERT_EQ(second.server(), number) << "the kernel gives the lowest free number";
  EXPECT_EQ(limiter.Count(), 0);
  EXPECT_TRUE(limiter.Admit(second.server()));
  EXPECT_EQ(limiter.Count(), 1);
}

// A TCP connection of the loopback.
TEST(ConnectionLimiterTest, TellsWhetherBytesMove) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener, generic, length), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, generic, &length), 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(connect(client, generic, length), 0);
  const int server = accept(listener, nullptr, nullptr);
  ConnectionLimiter limiter({.max_connections = 1});
  ASSERT_TRUE(limiter.Admit(server));
  limiter.HaveMoved();
  EXPECT_FALSE(limiter.HaveMoved());
  ASSERT_EQ(send(client, "x", 1, 0), 1);
  char byte = 0;
  ASSERT_EQ(recv(server, &byte, 1, 0), 1);
  EXPECT_TRUE(limiter.HaveMoved()) << "though it has been read";
  EXPECT_FALSE(limiter.HaveMoved());
  ASSERT_EQ(send(server, "y", 1, 0), 1);
  ASSERT_EQ(recv(client, &byte, 1, 0), 1);
  EXPECT_TRUE(limiter.HaveMoved());
  close(server);
  EXPECT_FALSE(limiter.HaveMoved()) << "it counts no more";
  close(client);
  close(listener);
}

TEST(ConnectionLimiterTest, TellsWhetherBytesWaitInAUnixSocket) {
  ConnectionLimiter limiter({.max_connections = 1});
  Pair pair;
  ASSERT_TRUE(limiter.Admit(pair.server()));
  limiter.HaveMoved();
  ASSERT_EQ(send(pair.server(), "x", 1, 0), 1);
  EXPECT_TRUE(limiter.HaveMoved());
  EXPECT_FALSE(limiter.HaveMoved());
}

TEST(ConnectionLimiterTest, CountsStayRightOverManyConnections) {
  ConnectionLimiter limiter({.max_connections = 3});
  for (int i = 0; i < 1000; ++i) {
    Pair pair;
    ASSERT_TRUE(limiter.Admit(pair.server())) << i;
  }
  EXPECT_EQ(limiter.Count(), 0);
}

TEST(ConnectionLimiterTest, ADescriptorThatIsNotOpenIsRefused) {
  EXPECT_FALSE(ConnectionLimiter({.max_connections = 1}).Admit(-1));
}

}  // namespace
}  // namespace toolgate::services::grpc::acceptor
