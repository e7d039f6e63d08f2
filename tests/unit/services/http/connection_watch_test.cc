#include "services/http/connection_watch.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::services::http {
namespace {

class Listener final : public HangUpListener {
 public:
  void OnHangUp() override {
    if (!heard.HasBeenNotified()) heard.Notify();
  }
  absl::Notification heard;
};

// A connection with both ends here.
class SocketPair {
 public:
  SocketPair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~SocketPair() {
    for (const int fd : ends_) close(fd);
  }
  int server() const { return ends_[0]; }
  int client() const { return ends_[1]; }
  // Whether the server's end was shut down.
  bool IsShutDown() const {
    char byte = 0;
    return recv(ends_[1], &byte, 1, MSG_DONTWAIT) == 0;
  }

 private:
  std::array<int, 2> ends_{};
};

class ConnectionWatchTest : public ::testing::Test {
 protected:
  ConnectionWatchTest() {
    auto started = ConnectionWatch::Start(clock_, {absl::Seconds(10), absl::Seconds(60), absl::Seconds(30)}, [] {});
    EXPECT_TRUE(started.ok()) << started.status();
    watch_ = *std::move(started);
    watch_->Opened(pair_.server());
  }
  ~ConnectionWatchTest() override { watch_->Closed(pair_.server()); }

  bool IsShutDownAfter(absl::Duration time) {
    clock_.Advance(time);
    watch_->Sweep();
    return pair_.IsShutDown();
  }

  testing::FakeClock clock_;
  SocketPair pair_;
  std::unique_ptr<ConnectionWatch> watch_;
};

TEST_F(ConnectionWatchTest, EndsAConnectionThatSendsNoHead) {
  EXPECT_FALSE(IsShutDownAfter(absl::Seconds(9)));
  EXPECT_TRUE(IsShutDownAfter(absl::Seconds(2)));
}

TEST_F(ConnectionWatchTest, EndsAConnectionWhoseBodyIsSlow) {
  watch_->HeadReceived(pair_.server());
  EXPECT_FALSE(IsShutDownAfter(absl::Seconds(29)));
  EXPECT_TRUE(IsShutDownAfter(absl::Seconds(2)));
}

TEST_F(ConnectionWatchTest, NeverEndsAConnectionThatWaitsForItsAnswer) {
  auto listener = std::make_shared<Listener>();
  watch_->HeadReceived(pair_.server());
  watch_->BodyReceived(pair_.server(), listener);
  EXPECT_FALSE(IsShutDownAfter(absl::Hours(5)));
  watch_->Answered(pair_.server());
  EXPECT_FALSE(IsShutDownAfter(absl::Seconds(59)));
  EXPECT_TRUE(IsShutDownAfter(absl::Seconds(2)));
}

TEST_F(ConnectionWatchTest, TellsOfAClientThatLeaves) {
  auto listener = std::make_shared<Listener>();
  watch_->BodyReceived(pair_.server(), listener);
  EXPECT_FALSE(listener->heard.HasBeenNotified());
  shutdown(pair_.client(), SHUT_WR);
  listener->heard.WaitForNotification();
}

TEST_F(ConnectionWatchTest, TellsOfAClientThatLeftBefore) {
  auto first = std::make_shared<Listener>();
  watch_->BodyReceived(pair_.server(), first);
  shutdown(pair_.client(), SHUT_WR);
  first->heard.WaitForNotification();
  auto second = std::make_shared<Listener>();
  watch_->BodyReceived(pair_.server(), second);
  EXPECT_TRUE(second->heard.HasBeenNotified());
}

TEST_F(ConnectionWatchTest, OnlyARequestThatComesNoMoreIsIncomplete) {
  constexpr absl::Duration kSilence = absl::Seconds(1);
  SocketPair answered;
  watch_->Opened(answered.server());
  watch_->HeadReceived(answered.server());
  watch_->BodyReceived(answered.server(), std::make_shared<Listener>());
  watch_->HeadReceived(pair_.server());
  watch_->CloseIncomplete(kSilence);
  EXPECT_FALSE(pair_.IsShutDown()) << "the head has just come";
  for (int i = 0; i < 20; ++i) {
    clock_.Advance(kSilence / 2);
    watch_->BytesReceived(pair_.server());
    watch_->CloseIncomplete(kSilence);
    EXPECT_FALSE(pair_.IsShutDown());
  }
  clock_.Advance(kSilence);
  watch_->CloseIncomplete(kSilence);
  EXPECT_TRUE(pair_.IsShutDown());
  EXPECT_FALSE(answered.IsShutDown());
  watch_->Closed(answered.server());
}

TEST_F(ConnectionWatchTest, ADrainEndsIdleConnectionsAtOnceAndOthersWhenTheyAreAnswered) {
  SocketPair busy;
  watch_->Opened(busy.server());
  watch_->HeadReceived(busy.server());
  watch_->BeginDrain();
  EXPECT_TRUE(pair_.IsShutDown());
  EXPECT_FALSE(busy.IsShutDown());
  watch_->Answered(busy.server());
  EXPECT_TRUE(busy.IsShutDown());
  watch_->Closed(busy.server());
}

}  // namespace
}  // namespace toolgate::services::http
