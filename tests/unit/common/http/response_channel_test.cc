#include "common/http/response_channel.h"

#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/support/real_wait.h"

namespace toolgate::http {
namespace {

class ResponseChannelTest : public ::testing::Test {
 protected:
  testing::RealWait wait_;
  ResponseChannel channel_;
};

TEST_F(ResponseChannelTest, HandsOverHeadAndBody) {
  std::thread receiver([this] {
    channel_.PutHead({.status = 201, .headers = {{"a", "b"}}});
    EXPECT_TRUE(channel_.Put("one"));
    channel_.End(absl::OkStatus());
  });
  const auto head = channel_.Head(wait_);
  ASSERT_TRUE(head.ok()) << head.status();
  EXPECT_EQ(head->status, 201);
  EXPECT_EQ(head->Find("a"), "b");
  EXPECT_EQ(channel_.Next(wait_).value(), "one");
  EXPECT_EQ(channel_.Next(wait_).value(), "");
  EXPECT_EQ(channel_.Next(wait_).value(), "");
  receiver.join();
}

TEST_F(ResponseChannelTest, HoldsTheReceiverBackUntilTheReaderHasTakenSome) {
  const std::string piece(ResponseChannel::kMaxBuffered, 'x');
  EXPECT_TRUE(channel_.Put(piece));
  EXPECT_FALSE(channel_.TakeStalled());
  EXPECT_FALSE(channel_.Put("y"));
  EXPECT_EQ(channel_.Next(wait_).value(), piece);
  EXPECT_TRUE(channel_.TakeStalled());
  EXPECT_FALSE(channel_.TakeStalled());
  EXPECT_TRUE(channel_.Put("y"));
  EXPECT_EQ(channel_.Next(wait_).value(), "y");
}

TEST_F(ResponseChannelTest, AnErrorFollowsTheBytesBeforeIt) {
  channel_.PutHead({.status = 200});
  EXPECT_TRUE(channel_.Put("half"));
  channel_.End(absl::UnavailableError("broke"));
  channel_.End(absl::OkStatus());
  EXPECT_TRUE(channel_.Head(wait_).ok());
  EXPECT_EQ(channel_.Next(wait_).value(), "half");
  EXPECT_EQ(channel_.Next(wait_).status(), absl::UnavailableError("broke"));
}

TEST_F(ResponseChannelTest, AnErrorBeforeTheHeadIsTheHeads) {
  channel_.End(absl::UnavailableError("no connection"));
  EXPECT_EQ(channel_.Head(wait_).status(), absl::UnavailableError("no connection"));
  EXPECT_EQ(channel_.Next(wait_).status(), absl::UnavailableError("no connection"));
  EXPECT_TRUE(channel_.ended());
}

TEST_F(ResponseChannelTest, ACallThatMustStopDoes) {
  wait_.Cancel();
  EXPECT_EQ(channel_.Head(wait_).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(channel_.Next(wait_).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace toolgate::http
