#include "services/app/longest_bodies.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::app {
namespace {

using ::testing::ElementsAre;

TEST(LongestBodiesTest, KeepsTheLongestOfEachTool) {
  LongestBodies longest({"a", "b"});
  longest.Note("b", absl::Milliseconds(20));
  longest.Note("b", absl::Milliseconds(10));
  longest.Note("", absl::Milliseconds(3));
  longest.Note("unknown", absl::Milliseconds(4));
  const observability::SampledMetric metric = longest.Metric();
  EXPECT_THAT(metric.rows.rows, ElementsAre(ElementsAre(""), ElementsAre("a"), ElementsAre("b")));
  EXPECT_THAT(metric.read(), ElementsAre(0.004, 0, 0.02));
}

}  // namespace
}  // namespace toolgate::services::app
