#include "cli/load/schedule/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace toolgate::cli::load::schedule {
namespace {

std::vector<int64_t> All(Arrivals arrivals) {
  std::vector<int64_t> times;
  while (const auto time = arrivals.Next()) times.push_back(*time);
  return times;
}

TEST(ArrivalsTest, EvenOnesKeepEqualDistances) {
  const auto times = All(Arrivals(*Schedule::Parse("100/1s"), Pattern::kEven, 1, 1, 0));
  ASSERT_EQ(times.size(), 100u);
  for (size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(static_cast<double>(times[i]), static_cast<double>(i) * 1e7, 2);
}

TEST(ArrivalsTest, ThreadsDivideEvenOnesWithoutGapOrDoubles) {
  const Schedule schedule = *Schedule::Parse("100-300/2s");
  const auto one = All(Arrivals(schedule, Pattern::kEven, 1, 1, 0));
  std::vector<int64_t> divided;
  for (int offset = 0; offset < 3; ++offset) {
    const auto part = All(Arrivals(schedule, Pattern::kEven, 1, 3, offset));
    divided.insert(divided.end(), part.begin(), part.end());
  }
  std::sort(divided.begin(), divided.end());
  EXPECT_EQ(divided, one);
}

TEST(ArrivalsTest, PoissonOnesHaveTheRateTogetherAndScatter) {
  const Schedule schedule = *Schedule::Parse("1000/20s");
  size_t count = 0;
  double squares = 0;
  for (int offset = 0; offset < 4; ++offset) {
    const auto times = All(Arrivals(schedule, Pattern::kPoisson, 7, 4, offset));
    count += times.size();
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    for (size_t i = 1; i < times.size(); ++i) {
      const double gap = static_cast<double>(times[i] - times[i - 1]) / 4e6;  // In means.
      squares += gap * gap;
    }
  }
  EXPECT_NEAR(static_cast<double>(count), 20'000, 600);       // Four standard deviations.
  EXPECT_NEAR(squares / static_cast<double>(count), 2, 0.2);  // Mean square of exponential gaps.
}

TEST(ArrivalsTest, ASeedRepeatsThem) {
  const Schedule schedule = *Schedule::Parse("100/5s");
  const auto first = All(Arrivals(schedule, Pattern::kPoisson, 7, 1, 0));
  EXPECT_EQ(first, All(Arrivals(schedule, Pattern::kPoisson, 7, 1, 0)));
  EXPECT_NE(first, All(Arrivals(schedule, Pattern::kPoisson, 8, 1, 0)));
}

TEST(ArrivalsTest, AConstantRateNeverEnds) {
  Arrivals arrivals(Schedule::Constant(10), Pattern::kEven, 1, 1, 0);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(arrivals.Next().has_value());
}

}  // namespace
}  // namespace toolgate::cli::load::schedule
