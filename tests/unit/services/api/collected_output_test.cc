#include "services/api/collected_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace toolgate::services::api {
namespace {

using ::testing::SizeIs;

TEST(CollectedOutputTest, JoinsThePiecesOfAChannel) {
  CollectedOutput output;
  ASSERT_TRUE(output.Output("stdout", "one ").ok());
  ASSERT_TRUE(output.Output("stdout", "two").ok());
  ASSERT_TRUE(output.Output("stderr", "oh").ok());
  ASSERT_TRUE(output.Output("stdout", "three").ok());
  v1::ToolResult result;
  output.MoveTo(result);
  ASSERT_THAT(result.output(), SizeIs(3));
  EXPECT_EQ(result.output(0).chunk(), "one two");
  EXPECT_EQ(result.output(1).channel(), "stderr");
  EXPECT_EQ(result.output(2).chunk(), "three");
  EXPECT_EQ(result.output_omitted_bytes(), 0);
}

TEST(CollectedOutputTest, KeepsTheBeginningAndCountsTheRest) {
  CollectedOutput output;
  ASSERT_TRUE(output.Output("stdout", std::string(CollectedOutput::kMaxBytes - 1, 'x')).ok());
  ASSERT_TRUE(output.Output("stderr", "abc").ok());
  ASSERT_TRUE(output.Output("stderr", "defg").ok());
  v1::ToolResult result;
  output.MoveTo(result);
  ASSERT_THAT(result.output(), SizeIs(2));
  EXPECT_EQ(result.output(1).chunk(), "a");
  EXPECT_EQ(result.output_omitted_bytes(), 6);
}

TEST(CollectedOutputTest, ACallWithoutOutputLeavesNothing) {
  CollectedOutput output;
  output.Report({"half way", 1, 2});
  v1::ToolResult result;
  output.MoveTo(result);
  EXPECT_THAT(result.output(), SizeIs(0));
  EXPECT_EQ(result.ByteSizeLong(), 0U);
}

}  // namespace
}  // namespace toolgate::services::api
