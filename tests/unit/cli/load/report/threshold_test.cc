#include "cli/load/report/threshold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/cli/load/report/example_report.h"

namespace toolgate::cli::load::report {
namespace {

TEST(ThresholdTest, ComparesWhatWasMeasured) {
  struct Row {
    const char* text;
    bool passed;
  };
  // Of the example: get_block has latencies from 1 ms to 1 s, create_block ("from outside") ten refusals up to 10 ms.
  const Row rows[] = {
      {"p99<1.1s", true},
      {"p99<50ms", false},
      {"p50>=400ms", true},
      {"max<=1s", true},
      {"min<2ms", true},
      {"mean<1s", true},
      {"errors<1%", true},
      {"errors < 0.1 %", false},
      {"errors<=0.9900990099%", false},
      {"rate>100/s", true},
      {"rate>102", false},
      {"count>=1010", true},
      {"missed<=0", true},
      {"get_block.p99.9<1.1s", true},
      {"get_block.errors<=0%", true},
      {"create_block.errors<50%", false},
      {"create_block.p99<20ms", true},
      {"from outside.count>9", true},
      {"from outside.count>10", false},
  };
  const Report report = ExampleReport();
  for (const Row& row : rows) {
    const auto threshold = Threshold::Parse(row.text);
    ASSERT_TRUE(threshold.ok()) << threshold.status();
    const ThresholdRow checked = threshold->Check(report);
    EXPECT_EQ(checked.passed, row.passed) << row.text << ": " << checked.actual;
    EXPECT_EQ(checked.text, row.text);
  }
}

TEST(ThresholdTest, AStepWithoutCallsMeetsNone) {
  const auto threshold = Threshold::Parse("list_tasks.p99<50ms");
  ASSERT_TRUE(threshold.ok());
  const ThresholdRow row = threshold->Check(ExampleReport());
  EXPECT_FALSE(row.passed);
  EXPECT_EQ(row.actual, "no calls");
}

TEST(ThresholdTest, NamesOfStepsMayContainDots) {
  EXPECT_EQ(Threshold::Parse("browser.search.p99.9<20ms")->step(), "browser.search");
  EXPECT_EQ(Threshold::Parse("p99.9<20ms")->step(), "");
  EXPECT_EQ(Threshold::Parse("a.p50.max<1s")->step(), "a.p50");
}

TEST(ThresholdTest, RefusesMistakes) {
  for (const char* text : {"", "p99", "p99<", "p99<50", "p99=50ms", "p101<1s", "px<1s", "errors<1", "errors<1s",
                           "rate>fast", "get_block<1s", "a.missed<=0", "speed>9", "p99<50ms ok", "<1s"}) {
    const auto threshold = Threshold::Parse(text);
    ASSERT_FALSE(threshold.ok()) << text;
    EXPECT_THAT(std::string(threshold.status().message()), ::testing::HasSubstr("write for example p99<50ms")) << text;
  }
}

}  // namespace
}  // namespace toolgate::cli::load::report
