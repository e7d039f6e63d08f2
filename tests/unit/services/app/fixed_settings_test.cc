#include "services/app/fixed_settings.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"

namespace toolgate::services::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using toolgate::config::v1::Config;

TEST(FixedSettingsTest, WhatAReloadPutsInForceIsNotNamed) {
  const Config at_start = config::Load({}).value();
  Config now = at_start;
  now.mutable_execution_tracking()->set_max_calls_per_request(3);
  now.mutable_rate_limiting()->mutable_circuit_breaker()->set_min_calls(3);
  now.mutable_confirmation()->add_require_for_tools("create_block");
  now.mutable_logging()->set_level("debug");
  EXPECT_THAT(ChangedFixedSettings(at_start, now), IsEmpty());
}

TEST(FixedSettingsTest, NamesWhatNeedsARestart) {
  const Config at_start = config::Load({}).value();
  Config now = at_start;
  now.mutable_server()->set_listen("127.0.0.1:1");
  now.mutable_storage()->mutable_sqlite()->set_readers(3);
  (*now.mutable_execution_tracking()->mutable_max_in_flight_by_module())["workspace"] = 2;
  EXPECT_THAT(ChangedFixedSettings(at_start, now),
              ElementsAre("server.listen", "storage.sqlite", "execution_tracking.max_in_flight_by_module"));
}

}  // namespace
}  // namespace toolgate::services::app
