#include "security/safe_errors/masked_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/event_log.h"

namespace toolgate::security::safe_errors {
namespace {

using ::testing::ElementsAre;

class MaskedEventsTest : public ::testing::Test {
 protected:
  const Masker masker_;
  testing::EventLog client_;
  const std::function<void(std::string&)> clean_ = [](std::string& text) { text = "clean: " + text; };
  MaskedEvents events_{masker_, clean_, client_};
};

TEST_F(MaskedEventsTest, CleansTheMessagesOfProgress) {
  events_.Report({"half way", 1, 2});
  ASSERT_EQ(client_.reports.size(), 1U);
  EXPECT_EQ(client_.reports[0].message, "clean: half way");
  EXPECT_EQ(client_.reports[0].done, 1);
  EXPECT_EQ(client_.reports[0].total, 2);
}

TEST_F(MaskedEventsTest, MasksOutputAcrossItsPieces) {
  ASSERT_TRUE(events_.Output("stdout", "mail ann@exam").ok());
  EXPECT_EQ(client_.output, "");
  ASSERT_TRUE(events_.Output("stdout", "ple.com now\nmore").ok());
  EXPECT_EQ(client_.output, "mail [masked:email] now\n");
  ASSERT_TRUE(events_.Finish().ok());
  EXPECT_EQ(client_.output, "mail [masked:email] now\nmore");
}

TEST_F(MaskedEventsTest, KeepsChannelsApart) {
  ASSERT_TRUE(events_.Output("stdout", "ann@").ok());
  ASSERT_TRUE(events_.Output("stderr", "warning\n").ok());
  ASSERT_TRUE(events_.Output("stdout", "example.com\n").ok());
  EXPECT_EQ(client_.output, "warning\n[masked:email]\n");
  EXPECT_THAT(client_.channels, ElementsAre("stderr", "stdout"));
}

TEST_F(MaskedEventsTest, SaysWhenTheClientHasLeft) {
  client_.answer = absl::CancelledError("left");
  EXPECT_TRUE(events_.Output("stdout", "held back").ok());
  EXPECT_EQ(events_.Output("stdout", "\n").code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace toolgate::security::safe_errors
