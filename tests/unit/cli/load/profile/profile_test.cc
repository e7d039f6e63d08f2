#include "cli/load/profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace toolgate::cli::load::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kWhole[] = R"(
description: everything
workspaces: 3
users: 5
load:
  schedule: 100/30s
  arrivals: EVEN
  warm_up: 2s
  duration: 20s
  max_in_flight: 50
  thresholds: ["p99<1s"]
setup:
  - tool: create_block
    arguments: '{"type": "page", "data": {"title": "{{words 2}}"}}'
    repeat: 4
    capture: {pool: pages, from: /blockId}
steps:
  - {tool: get_block, weight: 3, arguments: '{"blockId": "{{id pages}}"}'}
  - tool: delete_block
    name: remove
    arguments: '{"blockId": "{{take pages}}"}'
    confirm: APPROVE
    idempotency_key: true
    expect: [OK, CONFLICT]
    expect_finding: true
)";

TEST(ProfileTest, ReadsEverything) {
  const auto profile = ParseProfile("p.yaml", kWhole);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->description, "everything");
  EXPECT_EQ(profile->workspaces, 3);
  EXPECT_EQ(profile->users, 5);
  EXPECT_EQ(profile->load.schedule, "100/30s");
  EXPECT_EQ(profile->load.arrivals, schedule::Pattern::kEven);
  EXPECT_EQ(profile->load.warm_up, absl::Seconds(2));
  EXPECT_EQ(profile->load.duration, absl::Seconds(20));
  EXPECT_EQ(profile->load.max_in_flight, 50);
  EXPECT_THAT(profile->load.thresholds, ElementsAre("p99<1s"));
  EXPECT_THAT(profile->pools, ElementsAre("pages"));
  ASSERT_EQ(profile->setup.size(), 1u);
  EXPECT_EQ(profile->setup[0].repeat, 4);
  ASSERT_EQ(profile->calls.size(), 2u);
  EXPECT_EQ(profile->calls[0].name, "get_block");
  EXPECT_EQ(profile->calls[1].name, "remove");
  EXPECT_EQ(profile->calls[1].confirm, Confirm::kApprove);
  EXPECT_TRUE(profile->calls[1].idempotency_key);
  EXPECT_TRUE(profile->calls[1].Expects("CONFLICT"));
  EXPECT_FALSE(profile->calls[0].Expects("CONFLICT"));
  EXPECT_TRUE(profile->calls[1].expect_finding);
  EXPECT_FALSE(profile->calls[0].expect_finding);
}

TEST(ProfileTest, ProblemsNameTheirLine) {
  struct Row {
    const char* text;
    const char* part;
  };
  const Row rows[] = {
      {"steps: []", "p.yaml:1:8: steps: is empty"},
      {"steps:\n  - {name: x}", "p.yaml:2:5: steps[0]: needs a tool"},
      {"steps:\n  - tool: a\n  - tool: a", "p.yaml:3:5: steps[1].name: \"a\" is the name of an earlier step"},
      {"steps:\n  - tool: a\n    arguments: '{{x}}'", "p.yaml:3:16: steps[0].arguments: placeholder {{x}}"},
      {"steps:\n  - tool: a\n    arguments: '{\"b\": \"{{id none}}\"}'", "no step captures into the pool \"none\""},
      {"steps:\n  - tool: a\n    colour: red", "p.yaml:3:5: steps[0]: no field \"colour\""},
      {"steps:\n  - tool: a\n    weight: -1", "p.yaml:3:13: steps[0].weight: must be above 0"},
      {"steps:\n  - tool: a\n    stream: true\n    confirm: DENY", "steps[0].confirm: cannot be combined with stream"},
      {"steps:\n  - tool: a\n    capture: {pool: x, from: id}", "steps[0].capture.from: must be a JSON pointer"},
      {"users: -1\nsteps:\n  - tool: a", "p.yaml:1:8: users: is -1"},
      {"load: {schedule: fast}\nsteps:\n  - tool: a", "p.yaml:1:18: load.schedule: schedule \"fast\""},
      {"load: {schedule: \"5\", concurrency: 4}\nsteps:\n  - tool: a", "cannot be combined with concurrency"},
      {"load: {warm_up: -1s}\nsteps:\n  - tool: a", "load.warm_up: must not be negative"},
      {"setup:\n  - {tool: \"\"}\nsteps:\n  - tool: a", "setup[0]"},
      {"steps: [", "p.yaml:"},
  };
  for (const Row& row : rows) {
    const auto profile = ParseProfile("p.yaml", row.text);
    ASSERT_FALSE(profile.ok()) << row.text;
    EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(std::string(profile.status().message()), HasSubstr(row.part)) << row.text;
  }
}

TEST(ProfileTest, AllProblemsAreToldAtOnce) {
  const auto profile = ParseProfile("p.yaml", "users: -1\nsteps:\n  - {name: x}\n  - {tool: a, weight: -1}");
  ASSERT_FALSE(profile.ok());
  const std::string message(profile.status().message());
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;
}

TEST(ProfileTest, WhatIsExpectedFollowsTheConfirmation) {
  const auto profile =
      ParseProfile("p.yaml",
                   "steps:\n  - {tool: a}\n  - {tool: b, confirm: IGNORE}\n  - {tool: c, confirm: DENY}\n"
                   "  - {tool: d, expect: [\"*\"]}");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_THAT(profile->calls[0].expect, ElementsAre("OK"));
  EXPECT_THAT(profile->calls[1].expect, ElementsAre("OK", "CONFIRMATION_REQUIRED"));
  EXPECT_THAT(profile->calls[2].expect, ElementsAre("CANCELLED"));
  EXPECT_TRUE(profile->calls[3].Expects("TIMEOUT"));
}

TEST(ProfileTest, CallsAreDrawnByWeight) {
  const auto profile = ParseProfile("p.yaml", "steps:\n  - {tool: a, weight: 70}\n  - {tool: b, weight: 30}");
  ASSERT_TRUE(profile.ok());
  std::map<size_t, int> drawn;
  for (uint64_t call = 0; call < 10'000; ++call) {
    schedule::Random random(1, call);
    ++drawn[profile->DrawCall(random)];
  }
  EXPECT_NEAR(drawn[0], 7000, 250);
  EXPECT_NEAR(drawn[1], 3000, 250);
}

TEST(CaptureTest, FollowsItsPointer) {
  const auto read = [](const char* pointer, const char* json) { return Capture{0, pointer}.Read(json); };
  EXPECT_EQ(read("/blockId", R"({"blockId": "b1"})"), "b1");
  EXPECT_EQ(read("/a/1/x~1y", R"({"a": [0, {"x/y": "deep"}]})"), "deep");
  EXPECT_EQ(read("/blockId", R"({"other": "b1"})"), std::nullopt);
  EXPECT_EQ(read("/blockId", R"({"blockId": 5})"), std::nullopt);
  EXPECT_EQ(read("/a/9", R"({"a": ["x"]})"), std::nullopt);
  EXPECT_EQ(read("/a", "no JSON"), std::nullopt);
}

TEST(SingleCallProfileTest, HasOneStep) {
  const auto profile = SingleCallProfile("get_block", R"({"n": {{sequence}}})");
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_EQ(profile->calls.size(), 1u);
  EXPECT_EQ(profile->calls[0].tool, "get_block");
  EXPECT_THAT(std::string(SingleCallProfile("t", "[").status().message()), HasSubstr("no JSON"));
}

TEST(ShippedProfilesTest, AreValidAndDescribed) {
  std::vector<std::string> names;
  for (const ShippedProfile& shipped : ShippedProfiles()) {
    names.push_back(shipped.name);
    const auto profile = ParseProfile(shipped.name, shipped.text);
    ASSERT_TRUE(profile.ok()) << profile.status();
    EXPECT_FALSE(shipped.description.empty()) << shipped.name;
  }
  EXPECT_THAT(names, ElementsAre("agents", "confirmation", "hostile", "read-mostly", "streaming", "writes"));
}

}  // namespace
}  // namespace toolgate::cli::load::profile
