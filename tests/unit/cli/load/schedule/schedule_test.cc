#include "cli/load/schedule/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace toolgate::cli::load::schedule {
namespace {

Schedule Parsed(const std::string& text) {
  auto schedule = Schedule::Parse(text);
  EXPECT_TRUE(schedule.ok()) << schedule.status();
  return schedule.ok() ? *schedule : Schedule::Constant(1);
}

TEST(ScheduleTest, ReadsEachForm) {
  struct Row {
    const char* text;
    absl::Duration length;
    double at_10_seconds;
    double calls;  // In all; of the constant one, in the first 100 s.
  };
  const Row rows[] = {
      {"500", absl::InfiniteDuration(), 500, 50'000},
      {"2.5", absl::InfiniteDuration(), 2.5, 250},
      {"100/30s", absl::Seconds(30), 100, 3000},
      {"100/30s,100-500/1m,500/2m", absl::Seconds(210), 100, 3000 + 18'000 + 60'000},
      {"ramp:0-2000/60s", absl::Seconds(60), 2000.0 / 6, 60'000},
      {"step:100-500/5/50s", absl::Seconds(50), 200, 15'000},
      {"spike:100-2000/50s", absl::Seconds(50), 100, 4000 + 20'000},
  };
  for (const Row& row : rows) {
    const Schedule schedule = Parsed(row.text);
    EXPECT_EQ(schedule.length(), row.length) << row.text;
    EXPECT_NEAR(schedule.RateAt(10), row.at_10_seconds, 1e-9) << row.text;
    const double end = row.length == absl::InfiniteDuration() ? 100 : absl::ToDoubleSeconds(row.length);
    EXPECT_NEAR(schedule.CallsBefore(end), row.calls, 1e-6) << row.text;
  }
  EXPECT_DOUBLE_EQ(Parsed("spike:100-2000/50s").RateAt(25), 2000);
  EXPECT_DOUBLE_EQ(Parsed("100/30s").RateAt(31), 0);
}

TEST(ScheduleTest, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "0",
                           "-5",
                           "1e9",
                           "abc",
                           "100/",
                           "100/30",
                           "100/-5s",
                           "100/30s,",
                           "ramp:1-2",
                           "ramp:",
                           "10-/5s",
                           "step:1-2/1/5s",
                           "step:1-2/5s",
                           "spike:1-2/5s,3/5s",
                           "0/30s",
                           "nan",
                           "inf",
                           "20000000",
                           "0-0/10s",
                           "1-2-3/10s"}) {
    const auto schedule = Schedule::Parse(text);
    EXPECT_EQ(schedule.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(Schedule::Parse("100/30").status().message()), ::testing::HasSubstr("write for example 500"));
}

TEST(ScheduleTest, TimeOfIsTheInverseOfCallsBefore) {
  for (const char* text :
       {"500", "100/30s,100-500/1m,500-10/2m", "ramp:0-2000/60s", "ramp:2000-0/60s", "0/5s,100/5s"}) {
    const Schedule schedule = Parsed(text);
    for (double seconds = 0.5; seconds < std::min(60.0, absl::ToDoubleSeconds(schedule.length())); seconds += 0.7) {
      const double calls = schedule.CallsBefore(seconds);
      if (schedule.RateAt(seconds) == 0) continue;
      const std::optional<double> time = schedule.TimeOf(calls);
      ASSERT_TRUE(time.has_value()) << text << " " << seconds;
      EXPECT_NEAR(*time, seconds, 1e-6) << text;
    }
  }
}

TEST(ScheduleTest, CallsEndWithTheLastStage) {
  const Schedule schedule = Parsed("100/10s");
  EXPECT_NEAR(*schedule.TimeOf(999), 9.99, 1e-9);
  EXPECT_EQ(schedule.TimeOf(1000), std::nullopt);
  EXPECT_DOUBLE_EQ(*schedule.TimeOf(0), 0);
  EXPECT_DOUBLE_EQ(*Parsed("ramp:0-100/10s").TimeOf(0), 0);
}

TEST(ScheduleTest, TheWarmUpHoldsTheFirstRate) {
  const Schedule schedule = Parsed("ramp:100-200/10s").WithWarmUp(absl::Seconds(5));
  EXPECT_DOUBLE_EQ(schedule.RateAt(4.9), 100);
  EXPECT_DOUBLE_EQ(schedule.RateAt(10), 150);
  EXPECT_EQ(schedule.length(), absl::Seconds(15));
  EXPECT_EQ(Parsed("100/10s").WithWarmUp(absl::ZeroDuration()).stages().size(), 1u);
}

}  // namespace
}  // namespace toolgate::cli::load::schedule
