#include "cli/load/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/load/report/example_report.h"

namespace toolgate::cli::load::report {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportTest, SumsUpTheCounts) {
  const Report report = ExampleReport();
  EXPECT_EQ(report.count, 1010);
  EXPECT_EQ(report.unexpected, 10);
  EXPECT_DOUBLE_EQ(report.rate, 101);
  EXPECT_NEAR(report.error_share(), 10.0 / 1010, 1e-12);
  EXPECT_NEAR(report.latency.At("p50"), 0.495, 0.006);
  EXPECT_NEAR(report.service.At("p50"), 0.2475, 0.003);
  EXPECT_DOUBLE_EQ(report.latency.max, 1);
  ASSERT_EQ(report.operations.size(), 2u);
  EXPECT_EQ(report.operations[1].outcomes[0].outcome.code, "RATE_LIMITED");
  ASSERT_EQ(report.targets.size(), 2u);
  EXPECT_EQ(report.targets[0].count + report.targets[1].count, 1010);
  EXPECT_FALSE(report.passed());
}

TEST(ReportTest, TheCurveAscendsToAllCalls) {
  const Report report = ExampleReport();
  ASSERT_FALSE(report.latency_curve.empty());
  EXPECT_DOUBLE_EQ(report.latency_curve.back().share, 1);
  EXPECT_TRUE(std::is_sorted(report.latency_curve.begin(), report.latency_curve.end(),
                             [](const CurvePoint& a, const CurvePoint& b) { return a.seconds < b.seconds; }));
}

TEST(ReportTest, OperationsWithoutCallsAreLeftOut) {
  Report report;
  report.measured_seconds = 1;
  FillFromTally(stats::Tally(3, 1), {"a", "b", "c"}, {"a", "b", "c"}, {"t"}, report);
  EXPECT_TRUE(report.operations.empty());
  EXPECT_EQ(report.rate, 0);
  EXPECT_EQ(report.error_share(), 0);
}

TEST(ReportTest, WarnsOfWhatMakesNumbersDoubtful) {
  Report good = ExampleReport();
  good.warnings.clear();
  good.operations.clear();
  AddWarnings(good);
  EXPECT_TRUE(good.warnings.empty()) << good.warnings[0];

  Report limited = ExampleReport();
  EXPECT_THAT(limited.warnings, Contains(HasSubstr("deploy/load/unlimited.yaml")));

  Report bad = good;
  bad.interrupted = true;
  bad.missed_starts = 5;
  bad.cancelled_calls = 2;
  bad.server.problem = "the service's numbers are missing";
  bad.harness.start_lag.percentiles.fill(0.2);
  bad.harness.cpu_seconds = 10;
  AddWarnings(bad);
  for (const char* part : {"interrupted", "5 calls were due", "2 calls cancelled", "numbers are missing",
                           "started calls late", "used 1.0 cores"}) {
    EXPECT_THAT(bad.warnings, Contains(HasSubstr(part)));
  }

  Report few = good;
  few.count = 10;
  AddWarnings(few);
  EXPECT_THAT(few.warnings, Contains(HasSubstr("too few")));
  Report none = good;
  none.count = 0;
  AddWarnings(none);
  EXPECT_THAT(none.warnings, Contains(HasSubstr("No call")));
}

TEST(TimePointTest, TurnsCountsIntoRates) {
  stats::Interval interval;
  interval.begin = 2;
  interval.end = 2.5;
  interval.started = 10;
  interval.completed = 5;
  interval.missed_starts = 1;
  interval.latency.Record(1'000'000);
  const TimePoint point = PointOf(interval, 33);
  EXPECT_DOUBLE_EQ(point.started_rate, 20);
  EXPECT_DOUBLE_EQ(point.completed_rate, 10);
  EXPECT_DOUBLE_EQ(point.missed_rate, 2);
  EXPECT_DOUBLE_EQ(point.intended_rate, 33);
  EXPECT_DOUBLE_EQ(point.max, 0.001);
}

}  // namespace
}  // namespace toolgate::cli::load::report
