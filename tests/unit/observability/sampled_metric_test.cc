#include "observability/sampled_metric.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::observability {
namespace {

TEST(SampledMetricTest, ReadsEachRowWhenItIsSampled) {
  std::vector<double> values = {1, 2};
  const SampledMetric metric{
      {"a_total", "Help.", {"step"}, {{"one"}, {"two"}}}, SampledMetric::Kind::kCounter, [&] { return values; }};
  values = {3, 4};
  const prometheus::MetricFamily family = Sample(metric);
  EXPECT_EQ(family.name, "a_total");
  EXPECT_EQ(family.type, prometheus::MetricType::Counter);
  ASSERT_EQ(family.metric.size(), 2u);
  EXPECT_EQ(family.metric[1].label[0].value, "two");
  EXPECT_EQ(family.metric[1].counter.value, 4);
}

TEST(SampledMetricTest, AValueWithoutLabelsIsOneSeries) {
  const prometheus::MetricFamily family = Sample(SampledValue("a", "Help.", [] { return 2.5; }));
  EXPECT_EQ(family.type, prometheus::MetricType::Gauge);
  ASSERT_EQ(family.metric.size(), 1u);
  EXPECT_TRUE(family.metric[0].label.empty());
  EXPECT_EQ(family.metric[0].gauge.value, 2.5);
}

TEST(SampledMetricTest, ARowWithoutAValueIsLeftOut) {
  const SampledMetric metric{
      {"a", "Help.", {"step"}, {{"one"}, {"two"}}}, SampledMetric::Kind::kGauge, [] { return std::vector<double>{1}; }};
  EXPECT_EQ(Sample(metric).metric.size(), 1u);
}

}  // namespace
}  // namespace toolgate::observability
