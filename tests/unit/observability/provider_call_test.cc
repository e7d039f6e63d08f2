#include "observability/provider_call.h"

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::observability {
namespace {

using ::testing::ElementsAre;

TEST(ProviderCallTest, ReportsOutcomeAndTimeAtItsEnd) {
  toolgate::testing::FakeClock clock;
  std::vector<std::tuple<std::string, ProviderOutcome, absl::Duration>> told;
  const OnProviderCall on_call = [&](std::string_view provider, ProviderOutcome outcome, absl::Duration took) {
    told.emplace_back(provider, outcome, took);
  };
  {
    ProviderCall attempt(on_call, clock, "tavily");
    clock.Advance(absl::Milliseconds(30));
    attempt.set_outcome(ProviderOutcome::kThrottled);
    EXPECT_TRUE(told.empty());
  }
  EXPECT_THAT(told, ElementsAre(std::tuple("tavily", ProviderOutcome::kThrottled, absl::Milliseconds(30))));
}

TEST(ProviderCallTest, AnAttemptWithoutAnOutcomeWasCancelled) {
  toolgate::testing::FakeClock clock;
  std::vector<ProviderOutcome> told;
  const OnProviderCall on_call = [&](std::string_view, ProviderOutcome outcome, absl::Duration) {
    told.push_back(outcome);
  };
  { const ProviderCall attempt(on_call, clock, "tavily"); }
  EXPECT_THAT(told, ElementsAre(ProviderOutcome::kCancelled));
}

TEST(ProviderCallTest, NobodyNeedsToBeTold) {
  toolgate::testing::FakeClock clock;
  const OnProviderCall nobody;
  { const ProviderCall attempt(nobody, clock, "tavily"); }
}

}  // namespace
}  // namespace toolgate::observability
