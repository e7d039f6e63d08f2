#include "common/yaml/config_rules.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/gong/settings.pb.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::yaml {
namespace {

using config::v1::Config;
using ::testing::ElementsAre;
using testing::GongSettings;
using ::testing::IsEmpty;

std::vector<std::string> Problems(const google::protobuf::Message& message, std::string_view path) {
  std::vector<std::string> problems;
  CheckRanges(message, path, [&](std::string_view at, std::string_view what) {
    problems.push_back(std::string(at) + ": " + std::string(what));
  });
  return problems;
}

GongSettings Gong() {
  GongSettings gong;
  gong.set_max_strokes(3);
  gong.mutable_pause()->set_seconds(1);
  return gong;
}

TEST(ConfigRulesTest, ValuesWithinTheirRangesAreNoProblem) {
  GongSettings gong = Gong();
  EXPECT_THAT(Problems(gong, "gong"), IsEmpty());
  gong.set_max_strokes(12);
  gong.mutable_pause()->set_seconds(60);
  (*gong.mutable_volumes())["ada"] = 1;
  EXPECT_THAT(Problems(gong, "gong"), IsEmpty()) << "both bounds belong to the range";
}

TEST(ConfigRulesTest, ValuesOutOfTheirRangesAreNamedByPath) {
  GongSettings gong = Gong();
  gong.set_max_strokes(13);
  gong.mutable_pause()->set_seconds(61);
  (*gong.mutable_volumes())["grace.h"] = 0;
  (*gong.mutable_volumes())["ada"] = 1.5;
  EXPECT_THAT(Problems(gong, "gong"), ElementsAre("gong.max_strokes: is 13; must be from 1 to 12",
                                                  "gong.pause: is 1m1s; must be from 10ms to 1m",
                                                  "gong.volumes.ada: is 1.5; must be above 0 and at most 1",
                                                  "gong.volumes[\"grace.h\"]: is 0; must be above 0 and at most 1"));
}

TEST(ConfigRulesTest, WhatIsNotSetCountsAsZero) {
  EXPECT_THAT(Problems(GongSettings(), ""),
              ElementsAre("max_strokes: is 0; must be from 1 to 12", "pause: is 0s; must be from 10ms to 1m"));
}

TEST(ConfigRulesTest, LooksIntoListsMapsMessagesAndExtensions) {
  config::v1::Role role;
  config::v1::Window& window = *(*role.mutable_limits())["get_block"].add_windows();
  window.set_max_calls(2'000'000);
  window.mutable_window()->set_seconds(1);
  EXPECT_THAT(
      Problems(role, "identity.roles.a"),
      ElementsAre("identity.roles.a.limits.get_block.windows[0].max_calls: is 2000000; must be from 1 to 1000000"));
  config::v1::Families families;
  *families.MutableExtension(GongSettings::gong) = Gong();
  families.MutableExtension(GongSettings::gong)->set_max_strokes(0);
  EXPECT_THAT(Problems(families, ""), ElementsAre("gong.max_strokes: is 0; must be from 1 to 12"));
}

TEST(ConfigRulesTest, AValueBelowItsRangeIsAnsweredWithAdvice) {
  config::v1::Window window;
  window.mutable_window()->set_seconds(1);
  EXPECT_THAT(Problems(window, ""),
              ElementsAre("max_calls: is 0; must be from 1 to 1000000; to forbid a tool, take its "
                          "permission away"));
}

TEST(ConfigRulesTest, WhatAReloadPutsInForceIsNotNamed) {
  const Config at_start;
  Config now = at_start;
  now.mutable_execution_tracking()->set_max_calls_per_request(3);
  now.mutable_rate_limiting()->mutable_circuit_breaker()->set_min_calls(3);
  now.mutable_confirmation()->add_require_for_tools("create_block");
  now.mutable_logging()->set_level("debug");
  now.mutable_logging()->set_format("json");
  EXPECT_THAT(ChangedFixedSettings(at_start, now), IsEmpty());
}

TEST(ConfigRulesTest, NamesWhatNeedsARestart) {
  const Config at_start;
  Config now = at_start;
  now.mutable_server()->set_listen("127.0.0.1:1");
  now.mutable_storage()->mutable_sqlite()->set_readers(3);
  now.mutable_rate_limiting()->set_max_tracked_users(3);
  (*now.mutable_execution_tracking()->mutable_max_in_flight_by_module())["workspace"] = 2;
  now.mutable_confirmation()->add_critical_fields("priority");
  now.mutable_audit()->mutable_retention()->set_seconds(3);
  now.mutable_traces()->set_endpoint("http://collector:4317");
  EXPECT_THAT(ChangedFixedSettings(at_start, now),
              ElementsAre("server.listen", "storage.sqlite.readers", "rate_limiting.max_tracked_users",
                          "execution_tracking.max_in_flight_by_module", "confirmation.critical_fields",
                          "audit.retention", "traces.endpoint"));
}

TEST(ConfigRulesTest, SettingsOfFamiliesNeedARestart) {
  Config at_start;
  *at_start.mutable_families()->MutableExtension(GongSettings::gong) = Gong();
  Config now = at_start;
  EXPECT_THAT(ChangedFixedSettings(at_start, now), IsEmpty());
  now.mutable_families()->MutableExtension(GongSettings::gong)->mutable_pause()->set_seconds(2);
  EXPECT_THAT(ChangedFixedSettings(at_start, now), ElementsAre("gong.pause"));
  EXPECT_THAT(ChangedFixedSettings(Config(), at_start), ElementsAre("gong.max_strokes", "gong.pause"));
}

}  // namespace
}  // namespace toolgate::yaml
