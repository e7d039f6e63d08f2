#include "cli/load/load_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/counting_ids.h"
#include "tests/support/temp_dir.h"

namespace toolgate::cli::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<LoadSetting> Make(const LoadOptions& options,
                                 const std::string& profile_text = "steps:\n  - tool: get_block",
                                 const ClientOptions& client = {}) {
  testing::CountingIds ids;
  return MakeSetting(options, client, *profile::ParseProfile("p.yaml", profile_text), ids,
                     absl::FromUnixSeconds(1772442000));
}

TEST(LoadOptionsTest, DefaultsAreAClosedLoopOnTheClientsAddress) {
  const auto setting = Make({});
  ASSERT_TRUE(setting.ok()) << setting.status();
  EXPECT_EQ(setting->plan.concurrency, 16);
  EXPECT_EQ(setting->plan.duration, absl::Seconds(30));
  EXPECT_EQ(setting->plan.warm_up, absl::Seconds(5));
  EXPECT_THAT(setting->plan.targets, ElementsAre("127.0.0.1:50051"));
  EXPECT_EQ(setting->load, "Closed loop, 16 in flight");
}

TEST(LoadOptionsTest, AnOpenLoopTakesItsLengthFromTheSchedule) {
  LoadOptions options;
  options.rate = "ramp:0-100/10s";
  options.arrivals = "even";
  const auto setting = Make(options);
  ASSERT_TRUE(setting.ok()) << setting.status();
  EXPECT_TRUE(setting->plan.open_loop());
  EXPECT_EQ(setting->plan.duration, absl::Seconds(10));
  EXPECT_EQ(setting->plan.warm_up, absl::Seconds(2.5));
  EXPECT_EQ(setting->plan.max_in_flight, 1000);
  options.duration = absl::Seconds(4);
  EXPECT_EQ(Make(options)->plan.duration, absl::Seconds(4));
}

TEST(LoadOptionsTest, FlagsWinOverTheProfile) {
  const std::string text =
      "load: {schedule: \"7\", duration: 9s, warm_up: 1s, thresholds: [\"p99<1s\"]}\nsteps:\n  - tool: get_block";
  const auto from_profile = Make({}, text);
  ASSERT_TRUE(from_profile.ok()) << from_profile.status();
  EXPECT_TRUE(from_profile->plan.open_loop());
  EXPECT_EQ(from_profile->plan.duration, absl::Seconds(9));
  EXPECT_EQ(from_profile->thresholds.size(), 1u);
  LoadOptions options;
  options.concurrency = "3";
  options.duration = absl::Seconds(2);
  options.warm_up = absl::ZeroDuration();
  options.thresholds = {"errors<1%", "rate>1"};
  const auto from_flags = Make(options, text);
  ASSERT_TRUE(from_flags.ok()) << from_flags.status();
  EXPECT_EQ(from_flags->plan.concurrency, 3);
  EXPECT_EQ(from_flags->plan.duration, absl::Seconds(2));
  EXPECT_EQ(from_flags->plan.warm_up, absl::ZeroDuration());
  EXPECT_EQ(from_flags->thresholds.size(), 2u);
}

TEST(LoadOptionsTest, ANumberOfCallsNeedsNeitherTimeNorWarmUp) {
  LoadOptions options;
  options.requests = "100";
  const auto setting = Make(options);
  ASSERT_TRUE(setting.ok());
  EXPECT_EQ(setting->plan.max_calls, 100);
  EXPECT_EQ(setting->plan.duration, absl::InfiniteDuration());
  EXPECT_EQ(setting->plan.warm_up, absl::ZeroDuration());
}

TEST(LoadOptionsTest, RefusesWhatDoesNotFit) {
  struct Row {
    void (*change)(LoadOptions& options);
    const char* part;
  };
  const Row rows[] = {
      {[](LoadOptions& o) { o.rate = "5", o.concurrency = "5"; }, "give one of them"},
      {[](LoadOptions& o) { o.concurrency = "0"; }, "--concurrency"},
      {[](LoadOptions& o) { o.concurrency = "many"; }, "--concurrency"},
      {[](LoadOptions& o) { o.rate = "fast"; }, "schedule \"fast\""},
      {[](LoadOptions& o) { o.rate = "5", o.think_time = absl::Seconds(1); }, "--think-time"},
      {[](LoadOptions& o) { o.arrivals = "even"; }, "--rate"},
      {[](LoadOptions& o) { o.duration = absl::ZeroDuration(); }, "--duration"},
      {[](LoadOptions& o) { o.warm_up = -absl::Seconds(1); }, "--warm-up"},
      {[](LoadOptions& o) { o.threads = "0"; }, "--threads"},
      {[](LoadOptions& o) { o.seed = "x"; }, "--seed"},
      {[](LoadOptions& o) { o.metrics = {"ftp://x"}; }, "--metrics"},
      {[](LoadOptions& o) { o.thresholds = {"p99"}; }, "threshold \"p99\""},
      {[](LoadOptions& o) { o.thresholds = {"list_tasks.p99<1s"}; }, "no step or tool \"list_tasks\""},
      {[](LoadOptions& o) { o.targets = {"nowhere"}; }, "no port"},
      {[](LoadOptions& o) { o.callers_file = "/nonexistent/x"; }, "/nonexistent/x"},
  };
  for (const Row& row : rows) {
    LoadOptions options;
    row.change(options);
    const auto setting = Make(options);
    ASSERT_FALSE(setting.ok()) << row.part;
    EXPECT_THAT(std::string(setting.status().message()), HasSubstr(row.part));
  }
}

TEST(LoadOptionsTest, OtherMachinesNeedAYes) {
  LoadOptions options;
  options.targets = {"127.0.0.1:5", "service.example:5"};
  EXPECT_EQ(Make(options).status().code(), absl::StatusCode::kFailedPrecondition);
  options.yes = true;
  EXPECT_TRUE(Make(options).ok());
}

TEST(LoadOptionsTest, ATokenNamesTheSingleCaller) {
  ClientOptions client;
  client.token = "t";
  const auto setting = Make({}, "users: 9\nsteps:\n  - tool: get_block", client);
  ASSERT_TRUE(setting.ok());
  EXPECT_EQ(setting->plan.callers.size(), 1u);
  EXPECT_EQ(setting->plan.callers.At(0).token, "t");
}

TEST(LoadOptionsTest, CallersComeFromAFile) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/callers.jsonl";
  std::ofstream(path) << "{\"workspace\": \"w\", \"user\": \"a\"}\n{\"workspace\": \"w\", \"user\": \"b\"}\n";
  LoadOptions options;
  options.callers_file = path;
  const auto setting = Make(options);
  ASSERT_TRUE(setting.ok()) << setting.status();
  EXPECT_EQ(setting->plan.callers.size(), 2u);
  EXPECT_EQ(setting->plan.callers.At(1).user, "b");
}

TEST(LoadOptionsTest, TokensOfAFileAreNotSentUnencryptedToOtherMachines) {
  const testing::TempDir folder;
  LoadOptions options;
  options.callers_file = folder.path() + "/callers.jsonl";
  std::ofstream(options.callers_file) << "{\"workspace\": \"w\", \"user\": \"a\", \"token\": \"secret\"}\n";
  options.targets = {"127.0.0.1:5", "service.example:5"};
  options.yes = true;
  const auto refused = Make(options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("unencrypted to service.example:5"));
  ClientOptions client;
  client.tls_ca = kSystemAuthorities;
  EXPECT_TRUE(Make(options, "steps:\n  - tool: get_block", client).ok());
  options.targets = {"127.0.0.1:5"};
  EXPECT_TRUE(Make(options).ok());
}

TEST(ReadProfileTest, FindsShippedOnesAndFiles) {
  LoadOptions options;
  EXPECT_EQ(ReadProfile(options)->name, "read-mostly");
  options.profile = "writes";
  EXPECT_EQ(ReadProfile(options)->name, "writes");
  options.profile = "/nonexistent/p.yaml";
  EXPECT_THAT(std::string(ReadProfile(options).status().message()), HasSubstr("the shipped profiles are agents"));
  options.tool = "get_block";
  EXPECT_THAT(std::string(ReadProfile(options).status().message()), HasSubstr("cannot be combined"));
  options.profile.clear();
  EXPECT_EQ(ReadProfile(options)->calls.size(), 1u);
  LoadOptions arguments_only;
  arguments_only.arguments = "{}";
  EXPECT_THAT(std::string(ReadProfile(arguments_only).status().message()), HasSubstr("needs --tool"));
}

}  // namespace
}  // namespace toolgate::cli::load
