#include "services/grpc/acceptor/settings_gate.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/raw_http2.h"

namespace toolgate::services::grpc::acceptor {
namespace {

using testing::Acknowledgement;
using testing::FakeClock;
using testing::Frame;
using testing::FrameOf;
using testing::kHttp2Preface;

std::string Opening() { return std::string(kHttp2Preface) + FrameOf(Frame::kSettings, 0, 0); }

// The client's end of a connection that the gate has taken over.
class Client {
 public:
  explicit Client(SettingsGate& gate) {
    std::array<int, 2> fds{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()), 0);
    fd_ = fds[0];
    gate.Add(fds[1], 7, /*is_tcp=*/false);
  }
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Send(const std::string& bytes) {
    EXPECT_EQ(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::string Read() {
    std::array<char, 256> bytes{};
    const ssize_t count = recv(fd_, bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<size_t>(count)) : "";
  }
  // Whether the gate has closed its end. Forgets what it has sent.
  bool Dropped() {
    std::array<char, 256> bytes{};
    ssize_t count = 0;
    while ((count = recv(fd_, bytes.data(), bytes.size(), 0)) > 0) {
    }
    return count == 0 || errno == ECONNRESET;
  }

 private:
  int fd_ = -1;
};

class SettingsGateTest : public ::testing::Test {
 protected:
  std::vector<SettingsGate::Passed> Serve() {
    std::vector<pollfd> events;
    gate_.AppendTo(events);
    poll(events.data(), events.size(), 0);
    return gate_.Serve(events);
  }

  FakeClock clock_;
  SettingsGate gate_{{.max_streams = 1000, .max_metadata_bytes = 8192}, clock_};
};

TEST_F(SettingsGateTest, TellsTheLimitsAtOnce) {
  Client client(gate_);
  EXPECT_EQ(client.Read(), FrameOf(Frame::kSettings, 0, 0, std::string("\0\3\0\0\x03\xe8\0\6\0\0\x20\0", 12)));
}

TEST_F(SettingsGateTest, PassesAConnectionWithTheEndOfTheAcknowledgementUnread) {
  Client client(gate_);
  client.Send(Opening());
  EXPECT_TRUE(Serve().empty());
  client.Send(Acknowledgement() + "next");
  const std::vector<SettingsGate::Passed> passed = Serve();
  ASSERT_EQ(passed.size(), 1u);
  EXPECT_EQ(passed[0].opening, Opening() + Acknowledgement().substr(0, 8));
  EXPECT_EQ(passed[0].listener_fd, 7);
  std::array<char, 64> rest{};
  ASSERT_EQ(recv(passed[0].fd, rest.data(), rest.size(), 0), 5);
  EXPECT_EQ(std::string(rest.data(), 5), Acknowledgement().substr(8) + "next");
  EXPECT_EQ(gate_.waiting(), 0u);
  close(passed[0].fd);
}

TEST_F(SettingsGateTest, DropsWhoDoesNotAcknowledgeInTime) {
  Client early(gate_);
  early.Send(Opening());
  clock_.Advance(SettingsGate::kPatience / 2);
  Client late(gate_);
  EXPECT_EQ(gate_.TimeoutMs(), absl::ToInt64Milliseconds(SettingsGate::kPatience / 2) + 1);
  clock_.Advance(SettingsGate::kPatience / 2);
  EXPECT_TRUE(Serve().empty());
  EXPECT_TRUE(early.Dropped());
  EXPECT_FALSE(late.Dropped());
  late.Send(Opening() + Acknowledgement());
  EXPECT_EQ(Serve().size(), 1u);
  EXPECT_EQ(gate_.TimeoutMs(), -1);
}

TEST_F(SettingsGateTest, DropsWhoSendsSomethingElseOrLeaves) {
  Client browser(gate_);
  browser.Send("GET / HTTP/1.1\r\n\r\n");
  auto gone = std::make_unique<Client>(gate_);
  gone.reset();
  EXPECT_TRUE(Serve().empty());
  EXPECT_TRUE(browser.Dropped());
  EXPECT_EQ(gate_.waiting(), 0u);
}

TEST_F(SettingsGateTest, IdleConnectionsDoNotKeepANewOneOut) {
  std::vector<std::unique_ptr<Client>> idle;
  for (size_t i = 0; i < SettingsGate::kMaxWaiting; ++i) idle.push_back(std::make_unique<Client>(gate_));
  Client client(gate_);
  EXPECT_EQ(gate_.waiting(), SettingsGate::kMaxWaiting);
  EXPECT_TRUE(idle.front()->Dropped());
  EXPECT_FALSE(idle.back()->Dropped());
  client.Send(Opening() + Acknowledgement());
  EXPECT_EQ(Serve().size(), 1u);
}

}  // namespace
}  // namespace toolgate::services::grpc::acceptor
