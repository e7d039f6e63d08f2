#include "services/app/metric_labels.h"

#include <algorithm>
#include <string>

#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/core/core.h"

namespace toolgate::services::app {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MetricLabelsTest : public ::testing::Test {
 protected:
  observability::MetricsOptions Labels() const {
    return MetricLabels(*executors::registration::BuiltInCatalog({}).value(), config_);
  }
  config::v1::Config config_;
};

TEST_F(MetricLabelsTest, AreToolsStepsRpcsAndRuleFamilies) {
  const observability::MetricsOptions labels = Labels();
  EXPECT_THAT(labels.tools, Contains("get_block"));
  EXPECT_THAT(labels.layers, Contains("rate_limit"));
  EXPECT_THAT(labels.finding_families, Contains("wording"));
  EXPECT_FALSE(labels.rpc_methods.empty());
  EXPECT_FALSE(labels.version.empty());
}

TEST_F(MetricLabelsTest, ProvidersAreThoseOfTheConfigurationToo) {
  EXPECT_THAT(Labels().providers, IsEmpty());
  (*config_.mutable_rate_limiting()->mutable_providers())["tavily"];
  (*config_.mutable_execution_tracking()->mutable_max_effects_by_provider())["openrouter"] = 3;
  (*config_.mutable_execution_tracking()->mutable_max_effects_by_provider())["tavily"] = 3;
  EXPECT_THAT(Labels().providers, ElementsAre("openrouter", "tavily"));
}

TEST_F(MetricLabelsTest, UsualRejectionsAreOfStepsThatThereAre) {
  const auto steps = core::Core::StepNames();
  for (const auto& [layer, reason] : Labels().usual_rejections) {
    EXPECT_NE(std::find(steps.begin(), steps.end(), layer), steps.end()) << layer;
  }
}

}  // namespace
}  // namespace toolgate::services::app
