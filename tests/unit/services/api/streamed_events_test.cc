#include "services/api/streamed_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace toolgate::services::api {
namespace {

using ::testing::SizeIs;

class Events final : public EventWriter {
 public:
  void Write(const v1::ExecuteStreamResponse&) override { ADD_FAILURE() << "neither progress nor output"; }
  void WriteProgress(const v1::ExecuteStreamResponse& event) override { progress.push_back(event.progress()); }
  absl::Status WriteOutput(const v1::ExecuteStreamResponse& event, const fibers::Cancellation&) override {
    output.push_back(event.output());
    return output.size() == accepted ? absl::CancelledError("left") : absl::OkStatus();
  }

  std::vector<v1::ToolProgress> progress;
  std::vector<v1::ToolOutput> output;
  size_t accepted = 1000;  // Pieces of output before the client leaves.
};

class StreamedEventsTest : public ::testing::Test {
 protected:
  Events client_;
  fibers::Cancellation cancellation_;
  StreamedEvents events_{client_, cancellation_};
};

TEST_F(StreamedEventsTest, PassesProgressOn) {
  events_.Report({"step 2", 1, 3});
  ASSERT_THAT(client_.progress, SizeIs(1));
  EXPECT_EQ(client_.progress[0].message(), "step 2");
  EXPECT_EQ(client_.progress[0].done(), 1);
  EXPECT_EQ(client_.progress[0].total(), 3);
}

TEST_F(StreamedEventsTest, SplitsLongOutput) {
  const std::string text = std::string(64 << 10, 'a') + "bc";
  ASSERT_TRUE(events_.Output("stdout", text).ok());
  ASSERT_THAT(client_.output, SizeIs(2));
  EXPECT_EQ(client_.output[0].chunk() + client_.output[1].chunk(), text);
  EXPECT_EQ(client_.output[1].chunk(), "bc");
  EXPECT_EQ(client_.output[1].channel(), "stdout");
}

TEST_F(StreamedEventsTest, StopsWhenTheClientLeaves) {
  client_.accepted = 1;
  EXPECT_EQ(events_.Output("stdout", std::string(200 << 10, 'a')).code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(client_.output, SizeIs(1));
}

}  // namespace
}  // namespace toolgate::services::api
