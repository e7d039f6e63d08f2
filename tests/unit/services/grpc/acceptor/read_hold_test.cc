#include "services/grpc/acceptor/read_hold.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace toolgate::services::grpc::acceptor {
namespace {

// Both ends of a TCP connection.
class ReadHoldTest : public ::testing::Test {
 protected:
  ReadHoldTest() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
    client_ = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(client_, reinterpret_cast<sockaddr*>(&address), size), 0);
    server_ = accept(listener, nullptr, nullptr);
    close(listener);
  }
  ~ReadHoldTest() override {
    close(client_);
    close(server_);
  }

  void Send(size_t bytes) {
    const std::string text(bytes, 'x');
    ASSERT_EQ(send(client_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
  }
  bool Readable(int timeout_ms) const {
    pollfd event{server_, POLLIN, 0};
    return poll(&event, 1, timeout_ms) > 0;
  }
  void Read(size_t bytes) {
    std::string text(bytes, '\0');
    ASSERT_EQ(recv(server_, text.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }

  int client_ = -1;
  int server_ = -1;
};

TEST_F(ReadHoldTest, NothingIsReadableUntilItGoes) {
  Send(1);
  ASSERT_TRUE(Readable(-1));
  {
    const ReadHold hold(server_);
    EXPECT_FALSE(Readable(0));
    Send(10'000);
    EXPECT_FALSE(Readable(0));
  }
  EXPECT_TRUE(Readable(-1));
  Read(10'001);
}

TEST_F(ReadHoldTest, TheEndOfTheConnectionIsReadableAtOnce) {
  Send(1);
  ASSERT_TRUE(Readable(-1));
  const ReadHold hold(server_);
  shutdown(client_, SHUT_WR);
  EXPECT_TRUE(Readable(-1));
}

}  // namespace
}  // namespace toolgate::services::grpc::acceptor
