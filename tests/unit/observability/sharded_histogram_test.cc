#include "observability/sharded_histogram.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::observability {
namespace {

using ::testing::ElementsAre;

ShardedHistogram MakeHistogram(std::vector<int64_t> bounds) {
  return ShardedHistogram({"a_seconds", "Help.", {"step"}, {{"one"}, {"two"}}}, std::move(bounds));
}

std::vector<uint64_t> Cumulative(const prometheus::ClientMetric& metric) {
  std::vector<uint64_t> counts;
  for (const auto& bucket : metric.histogram.bucket) counts.push_back(bucket.cumulative_count);
  return counts;
}

TEST(ShardedHistogramTest, UpperBoundsAreInclusive) {
  ShardedHistogram histogram = MakeHistogram({1000, 2000, 5000});
  for (const int64_t nanos : {0, 1000, 1001, 2000, 5000, 5001}) histogram.Observe(0, nanos);
  const auto metric = histogram.Collect()[0].metric[0];
  EXPECT_THAT(Cumulative(metric), ElementsAre(2, 4, 5, 6));
  EXPECT_EQ(metric.histogram.sample_count, 6u);
  EXPECT_DOUBLE_EQ(metric.histogram.sample_sum, 14002e-9);
  EXPECT_DOUBLE_EQ(metric.histogram.bucket[0].upper_bound, 1e-6);
  EXPECT_TRUE(std::isinf(metric.histogram.bucket[3].upper_bound));
}

TEST(ShardedHistogramTest, FindsTheBucketThatASearchFinds) {
  for (const std::vector<int64_t>& bounds : {FineBounds(), CoarseBounds(), std::vector<int64_t>{1, 2, 3, 7, 8, 9}}) {
    ASSERT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
    const ShardedHistogram histogram = MakeHistogram(bounds);
    for (const int64_t bound : bounds) {
      for (const int64_t nanos : {bound - 1, bound, bound + 1, bound * 2 - 1, bound * 2, bound * 2 + 1}) {
        const auto expected = std::lower_bound(bounds.begin(), bounds.end(), nanos) - bounds.begin();
        EXPECT_EQ(histogram.BucketOf(nanos), static_cast<size_t>(expected)) << nanos;
      }
    }
    EXPECT_EQ(histogram.BucketOf(INT64_MAX), bounds.size());
  }
}

TEST(ShardedHistogramTest, ANegativeDurationCountsAsZero) {
  ShardedHistogram histogram = MakeHistogram({1000});
  histogram.Observe(0, -5);
  const auto metric = histogram.Collect()[0].metric[0];
  EXPECT_THAT(Cumulative(metric), ElementsAre(1, 1));
  EXPECT_EQ(metric.histogram.sample_sum, 0);
}

TEST(ShardedHistogramTest, RowsAreExportedFromTheStart) {
  ShardedHistogram histogram = MakeHistogram({1000});
  const auto family = histogram.Collect()[0];
  ASSERT_EQ(family.metric.size(), 2u);
  EXPECT_THAT(Cumulative(family.metric[0]), ElementsAre(0, 0));
}

TEST(ShardedHistogramTest, SharesAreExportedAsSuch) {
  ShardedHistogram histogram({"a_ratio", "Help.", {}, {{}}}, ShareBounds(), 1000);
  for (const int64_t thousandths : {100, 500, 1000, 1001}) histogram.Observe(0, thousandths);
  const auto metric = histogram.Collect()[0].metric[0];
  EXPECT_THAT(Cumulative(metric), ElementsAre(1, 1, 2, 2, 2, 3, 4));
  EXPECT_DOUBLE_EQ(metric.histogram.bucket[2].upper_bound, 0.5);
  EXPECT_DOUBLE_EQ(metric.histogram.sample_sum, 2.601);
}

TEST(ShardedHistogramTest, RowsAreApart) {
  ShardedHistogram histogram = MakeHistogram({1000});
  histogram.Observe(1, 1);
  const auto family = histogram.Collect()[0];
  ASSERT_EQ(family.metric.size(), 2u);
  EXPECT_EQ(family.metric[0].histogram.sample_count, 0u);
  EXPECT_EQ(family.metric[1].label[0].value, "two");
  EXPECT_EQ(family.metric[1].histogram.sample_count, 1u);
}

TEST(ShardedHistogramTest, ThreadsAddUp) {
  ShardedHistogram histogram = MakeHistogram({1000, 2000});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1000; ++round) histogram.Observe(0, 1500);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto metric = histogram.Collect()[0].metric[0];
  EXPECT_THAT(Cumulative(metric), ElementsAre(0, 8000, 8000));
  EXPECT_DOUBLE_EQ(metric.histogram.sample_sum, 8000 * 1500e-9);
}

}  // namespace
}  // namespace toolgate::observability
