#include "services/app/metric_labels.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/core/core.h"

namespace toolgate::services::app {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

class MetricLabelsTest : public ::testing::Test {
 protected:
  observability::MetricsOptions Labels() const {
    return MetricLabels(*executors::registration::BuiltInCatalog({}).value(), config_);
  }
  toolgate::config::v1::Config config_;
};

TEST_F(MetricLabelsTest, AreToolsStepsRpcsAndRuleFamilies) {
  const observability::MetricsOptions labels = Labels();
  EXPECT_THAT(labels.tools, Contains("get_block"));
  EXPECT_THAT(labels.layers, Contains("rate_limit"));
  EXPECT_THAT(labels.finding_families, Contains("wording"));
  EXPECT_FALSE(labels.rpc_methods.empty());
  EXPECT_FALSE(labels.version.empty());
}

TEST_F(MetricLabelsTest, ProvidersAreThoseOfToolsAndOfTheConfiguration) {
  EXPECT_THAT(Labels().providers, Contains("artifact_model"));
  EXPECT_THAT(Labels().providers, Not(Contains("tavily")));
  (*config_.mutable_rate_limiting()->mutable_providers())["tavily"];
  (*config_.mutable_execution_tracking()->mutable_max_effects_by_provider())["openrouter"] = 3;
  (*config_.mutable_execution_tracking()->mutable_max_effects_by_provider())["tavily"] = 3;
  const std::vector<std::string> providers = Labels().providers;
  EXPECT_THAT(providers, IsSupersetOf({"artifact_model", "openrouter", "tavily"}));
  EXPECT_EQ(std::set<std::string>(providers.begin(), providers.end()).size(), providers.size()) << "each once";
}

TEST_F(MetricLabelsTest, UsualRejectionsAreOfStepsThatThereAre) {
  const auto steps = core::Core::StepNames();
  for (const auto& [layer, reason] : Labels().usual_rejections) {
    EXPECT_NE(std::find(steps.begin(), steps.end(), layer), steps.end()) << layer;
  }
}

}  // namespace
}  // namespace toolgate::services::app
