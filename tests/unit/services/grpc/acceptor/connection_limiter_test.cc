#include "services/grpc/acceptor/connection_limiter.h"

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
