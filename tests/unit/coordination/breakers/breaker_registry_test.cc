#include "coordination/breakers/breaker_registry.h"

#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::coordination::breakers {
namespace {

class BreakerRegistryTest : public ::testing::Test {
 protected:
  static BreakerSettings Settings() {
    return {.window = absl::Minutes(1),
            .min_calls = 10,
            .failure_ratio = 0.5,
            .consecutive_failures = 5,
            .open_duration = absl::Seconds(30),
            .half_open_probes = 1};
  }

  testing::FakeClock clock_;
  BreakerRegistry registry_{clock_};
};

TEST_F(BreakerRegistryTest, ABreakerKeepsItsStateForTheNextCore) {
  const auto first = registry_.Get("tool:a", Settings());
  first->Open(absl::Seconds(30));
  EXPECT_EQ(registry_.Get("tool:a", Settings()), first) << "with all that it has counted";
  EXPECT_EQ(first->state(), BreakerState::kOpen);
  EXPECT_EQ(registry_.Get("tool:b", Settings())->state(), BreakerState::kClosed);
}

TEST_F(BreakerRegistryTest, OtherSettingsMakeItAnewAndItStaysOpenForTheTimeThatWasLeft) {
  const auto first = registry_.Get("tool:a", Settings());
  first->Open(absl::Seconds(30));
  clock_.Advance(absl::Seconds(20));
  BreakerSettings other = Settings();
  other.consecutive_failures = 2;
  const auto second = registry_.Get("tool:a", other);
  EXPECT_NE(first, second);
  EXPECT_EQ(second->state(), BreakerState::kOpen);
  EXPECT_EQ(second->Admit().retry_after, absl::Seconds(10));
  clock_.Advance(absl::Seconds(10));
  EXPECT_TRUE(second->Admit().permit);
}

TEST_F(BreakerRegistryTest, AShorterOpenTimeCutsTheTimeThatWasLeft) {
  registry_.Get("tool:a", Settings())->Open(absl::Seconds(30));
  BreakerSettings other = Settings();
  other.open_duration = absl::Seconds(5);
  EXPECT_EQ(registry_.Get("tool:a", other)->Admit().retry_after, absl::Seconds(5));
}

TEST_F(BreakerRegistryTest, OneThatTriesAgainGoesOnTrying) {
  const auto first = registry_.Get("tool:a", Settings());
  first->Open(absl::Seconds(1));
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(first->Admit().permit);
  BreakerSettings other = Settings();
  other.half_open_probes = 2;
  const auto second = registry_.Get("tool:a", other);
  EXPECT_EQ(second->state(), BreakerState::kOpen);
  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_TRUE(second->Admit().permit);
}

}  // namespace
}  // namespace toolgate::coordination::breakers
