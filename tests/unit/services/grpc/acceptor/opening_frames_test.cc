#include "services/grpc/acceptor/opening_frames.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/raw_http2.h"

namespace toolgate::services::grpc::acceptor {
namespace {

using testing::Acknowledgement;
using testing::Frame;
using testing::FrameOf;
using testing::kAck;
using testing::kEndHeaders;
using testing::kHttp2Preface;
using State = OpeningFrames::State;

constexpr int kMaxStreams = 3;
// At most one stream.
constexpr std::string_view kSetting("\0\3\0\0\0\1", 6);
constexpr std::string_view kIncrement("\0\1\0\0", 4);

std::string Begin() { return std::string(kHttp2Preface) + FrameOf(Frame::kSettings, 0, 0, kSetting); }

State StateAfter(std::string_view bytes) {
  OpeningFrames frames(kMaxStreams);
  frames.Take(bytes);
  return frames.state();
}

TEST(OpeningFramesTest, StopsBeforeTheLastByteOfTheAcknowledgement) {
  const std::string before = Begin() + FrameOf(Frame::kHeaders, kEndHeaders, 1, "\x83");
  OpeningFrames frames(kMaxStreams);
  EXPECT_EQ(frames.Take(before + Acknowledgement() + "more"), before.size() + 8);
  EXPECT_EQ(frames.state(), State::kAcknowledged);
  EXPECT_EQ(frames.bytes(), before + Acknowledgement().substr(0, 8));
}

TEST(OpeningFramesTest, DoesTheSameByteByByte) {
  const std::string all = Begin() + FrameOf(Frame::kData, 0, 1, std::string(300, 'x')) + Acknowledgement();
  OpeningFrames frames(kMaxStreams);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    ASSERT_EQ(frames.Take(all.substr(i, 1)), 1u) << i;
    ASSERT_EQ(frames.state(), State::kUnacknowledged) << i;
  }
  EXPECT_EQ(frames.Take(all.substr(all.size() - 1)), 0u);
  EXPECT_EQ(frames.state(), State::kAcknowledged);
}

TEST(OpeningFramesTest, FramesThatClientsSendAtOnceAreTaken) {
  for (const std::string& frame :
       {FrameOf(Frame::kSettings, 0, 0), FrameOf(Frame::kWindow, 0, 0, kIncrement),
        FrameOf(Frame::kPing, 0, 0, "12345678"), FrameOf(Frame::kHeaders, kEndHeaders, 1, "\x83"),
        FrameOf(Frame::kData, 0, 1, std::string(16384, 'x')), FrameOf(static_cast<Frame>(0xf0), 1, 0, "unknown"),
        FrameOf(Frame::kPing, kAck, 0, "12345678")}) {
    EXPECT_EQ(StateAfter(Begin() + frame), State::kUnacknowledged);
    EXPECT_EQ(StateAfter(Begin() + frame + Acknowledgement()), State::kAcknowledged);
  }
}

TEST(OpeningFramesTest, AnythingElseIsRefused) {
  struct Row {
    const char* name;
    std::string bytes;
  };
  const std::string preface(kHttp2Preface);
  const std::vector<Row> rows = {
      {"another protocol", "GET / HTTP/1.1\r\n"},
      {"a preface that ends otherwise", preface.substr(0, 20) + "\n"},
      {"headers first", preface + FrameOf(Frame::kHeaders, kEndHeaders, 1, "\x83")},
      {"an acknowledgement first", preface + Acknowledgement()},
      {"settings of a stream", Begin() + FrameOf(Frame::kSettings, 0, 1)},
      {"an acknowledgement with content", Begin() + FrameOf(Frame::kSettings, kAck, 0, kSetting)},
      {"a frame that is too long", Begin() + FrameOf(Frame::kData, 0, 1, std::string(16385, 'x'))},
  };
  for (const Row& row : rows) EXPECT_EQ(StateAfter(row.bytes), State::kRefused) << row.name;
}

TEST(OpeningFramesTest, StreamsAreBounded) {
  std::string bytes = Begin();
  for (int i = 0; i < kMaxStreams; ++i) bytes += FrameOf(Frame::kHeaders, kEndHeaders, 2 * i + 1, "\x83");
  EXPECT_EQ(StateAfter(bytes), State::kUnacknowledged);
  EXPECT_EQ(StateAfter(bytes + FrameOf(Frame::kHeaders, kEndHeaders, 9, "\x83")), State::kRefused);
}

TEST(OpeningFramesTest, HeadersAreBounded) {
  const std::string half(OpeningFrames::kMaxHeaderBytes / 2, '\xbe');
  const std::string bytes =
      Begin() + FrameOf(Frame::kHeaders, 0, 1, half) + FrameOf(static_cast<Frame>(9), kEndHeaders, 1, half);
  EXPECT_EQ(StateAfter(bytes), State::kUnacknowledged);
  EXPECT_EQ(StateAfter(bytes + FrameOf(Frame::kHeaders, kEndHeaders, 3, "\xbe")), State::kRefused);
}

TEST(OpeningFramesTest, EverythingTogetherIsBounded) {
  OpeningFrames frames(kMaxStreams);
  frames.Take(Begin());
  const std::string ping = FrameOf(Frame::kPing, 0, 0, "12345678");
  while (frames.state() == State::kUnacknowledged) frames.Take(ping);
  EXPECT_EQ(frames.state(), State::kRefused);
  EXPECT_LE(frames.bytes().size(), OpeningFrames::kMaxBytes + ping.size());
}

}  // namespace
}  // namespace toolgate::services::grpc::acceptor
