#include "cli/load/server_metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace toolgate::cli::load::server_metrics {
namespace {

TEST(ExpositionTest, ReadsSamplesAndPassesOverComments) {
  const auto samples = ParseExposition(
      "# HELP a An example.\n# TYPE a counter\na 1\n\nb{} 2.5 1700000000000\r\n"
      "c{x=\"1\",y = \"a\\\"b\\\\c\\nd\",} +Inf\nd:e{le=\"+Inf\"} 1e-3\n");
  ASSERT_TRUE(samples.ok()) << samples.status();
  ASSERT_EQ(samples->size(), 4u);
  EXPECT_EQ((*samples)[0].name, "a");
  EXPECT_EQ((*samples)[1].value, 2.5);
  EXPECT_EQ((*samples)[2].label("x"), "1");
  EXPECT_EQ((*samples)[2].label("y"), "a\"b\\c\nd");
  EXPECT_EQ((*samples)[2].label("z"), "");
  EXPECT_TRUE(std::isinf((*samples)[2].value));
  EXPECT_EQ((*samples)[3].name, "d:e");
  EXPECT_EQ((*samples)[3].value, 0.001);
}

TEST(ExpositionTest, RefusesOtherTextWithItsLine) {
  for (const char* line : {"<html>", "1a 2", "a", "a x", "a{b} 1", "a{b=c} 1", "a{b=\"c} 1", "a{b=\"c\"",
                           "a{b=\"c\" d=\"e\"} 1", "a 1 2 3", "a 1 x", "{} 1"}) {
    const auto samples = ParseExposition(std::string("good 1\n") + line + "\n");
    ASSERT_FALSE(samples.ok()) << line;
    EXPECT_THAT(std::string(samples.status().message()), ::testing::StartsWith("line 2: ")) << line;
  }
  EXPECT_TRUE(ParseExposition("").ok());
}

}  // namespace
}  // namespace toolgate::cli::load::server_metrics
