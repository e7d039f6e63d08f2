#include "cli/load/stats/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace toolgate::cli::load::stats {
namespace {

// The value that Quantile approximates.
int64_t Exact(std::vector<int64_t> values, double quantile) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<size_t>(std::ceil(quantile * static_cast<double>(values.size()) - 1e-9));
  return values[std::max<size_t>(rank, 1) - 1];
}

void ExpectWithinOnePercent(const std::vector<int64_t>& values) {
  Histogram histogram;
  for (const int64_t value : values) histogram.Record(value);
  for (const double quantile : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto exact = static_cast<double>(Exact(values, quantile));
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(quantile)), exact, exact * 0.008) << quantile;
  }
}

TEST(HistogramTest, QuantilesAreExactToOnePercentOverTheWholeRange) {
  std::mt19937_64 random(1);
  std::vector<int64_t> log_uniform;
  std::vector<int64_t> narrow;
  for (int i = 0; i < 50'000; ++i) {
    log_uniform.push_back(static_cast<int64_t>(std::exp(std::uniform_real_distribution<>(0, 29)(random))));
    narrow.push_back(std::uniform_int_distribution<int64_t>(950'000, 1'050'000)(random));
  }
  ExpectWithinOnePercent(log_uniform);
  ExpectWithinOnePercent(narrow);
}

TEST(HistogramTest, EachValueComesBackWithinOnePercent) {
  for (int64_t value = 1; value < Histogram::kMaxNanos; value = value * 21 / 20 + 1) {
    Histogram histogram;
    histogram.Record(0);
    histogram.Record(value);
    histogram.Record(Histogram::kMaxNanos);
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(0.5)), static_cast<double>(value),
                0.008 * static_cast<double>(value));
  }
}

TEST(HistogramTest, MinimumMeanAndMaximumAreExact) {
  Histogram histogram;
  for (const int64_t value : {1'000'003, 17, 5'555'557}) histogram.Record(value);
  EXPECT_EQ(histogram.min(), 17);
  EXPECT_EQ(histogram.max(), 5'555'557);
  EXPECT_DOUBLE_EQ(histogram.mean(), (1'000'003 + 17 + 5'555'557) / 3.0);
  EXPECT_EQ(histogram.Quantile(0), 17);
  EXPECT_EQ(histogram.Quantile(1), 5'555'557);
}

TEST(HistogramTest, AnEmptyOneAnswersZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.Quantile(0.99), 0);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), 0);
  EXPECT_EQ(histogram.mean(), 0);
}

TEST(HistogramTest, ValuesBeyondTheRangeCountAtItsEnds) {
  Histogram histogram;
  histogram.Record(-5);
  histogram.Record(INT64_MAX);
  EXPECT_EQ(histogram.count(), 2);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.max(), Histogram::kMaxNanos);
}

TEST(HistogramTest, MergedOnesEqualOneThatSawAll) {
  Histogram all, left, right;
  for (int64_t i = 1; i <= 10'000; ++i) {
    all.Record(i * i);
    (i % 3 == 0 ? left : right).Record(i * i);
  }
  left.Merge(right);
  left.Merge(Histogram());
  EXPECT_EQ(left.count(), all.count());
  EXPECT_EQ(left.min(), all.min());
  EXPECT_EQ(left.max(), all.max());
  EXPECT_DOUBLE_EQ(left.mean(), all.mean());
  for (const double quantile : {0.01, 0.5, 0.99, 0.9999}) EXPECT_EQ(left.Quantile(quantile), all.Quantile(quantile));
}

TEST(HistogramTest, CumulativeCountsAscendToAll) {
  Histogram histogram;
  for (int64_t i = 0; i < 1000; ++i) histogram.Record(i * 1000);
  int64_t last_value = -1;
  int64_t last_count = 0;
  histogram.VisitCumulative([&](int64_t nanos, int64_t cumulative) {
    EXPECT_GT(nanos, last_value);
    EXPECT_GT(cumulative, last_count);
    last_value = nanos;
    last_count = cumulative;
  });
  EXPECT_EQ(last_count, 1000);
}

}  // namespace
}  // namespace toolgate::cli::load::stats
