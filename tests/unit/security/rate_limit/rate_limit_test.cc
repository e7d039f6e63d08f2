#include "security/rate_limit/rate_limit.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "coordination/limits/local_limiter_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::rate_limit {
namespace {

using config::v1::RateLimiting;
using coordination::breakers::BreakerRegistry;
using coordination::breakers::BreakerState;
using coordination::limits::LocalLimiterStore;
using coordination::limits::LogCheck;
using coordination::limits::WindowUsage;
using executors::Audience;
using executors::Tool;
using testing::CodeOf;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::FactOf;
using testing::Failure;
using testing::FakeClock;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeCall;
using testing::MakeTool;
using ::testing::Pair;
using testing::ProtoSeconds;
using testing::Success;

RateLimiting DefaultConfig() {
  RateLimiting config;
  config.set_enforcement(config::v1::ENFORCEMENT_ENFORCE);
  config.set_max_tracked_users(100);
  config.set_on_store_failure(config::v1::ON_STORE_FAILURE_FAIL_CLOSED);
  auto& breaker = *config.mutable_circuit_breaker();
  *breaker.mutable_window() = ProtoSeconds(30);
  breaker.set_min_calls(20);
  breaker.set_failure_ratio(0.5);
  breaker.set_consecutive_failures(5);
  *breaker.mutable_open_duration() = ProtoSeconds(15);
  breaker.set_half_open_probes(3);
  return config;
}

void AddWindow(config::v1::ToolLimits& limits, const std::string& audience, int max_calls, int64_t seconds) {
  auto& window = *limits.add_windows();
  window.set_audience(audience);
  window.set_max_calls(max_calls);
  *window.mutable_window() = ProtoSeconds(seconds);
}

// An unreachable store.
class BrokenStore final : public LimiterStore {
 public:
  absl::StatusOr<ChargeOutcome> CheckAndCharge(std::span<const LogCheck>) override {
    return absl::UnavailableError("connection refused");
  }
  void GiveBack(std::span<const LogCheck>, absl::Time) override {}
  bool MayWait() const override { return true; }
  absl::StatusOr<std::vector<std::vector<WindowUsage>>> Usage(std::span<const LogCheck>) override {
    return absl::UnavailableError("connection refused");
  }
};

class RecordingObserver final : public LimitObserver {
 public:
  void OnDecision(std::string_view tool_id, LimitCheck check, LimitDecision decision) override {
    decisions.push_back(std::string(tool_id) + " " + std::string(LimitCheckName(check)) + " " +
                        std::string(LimitDecisionName(decision)));
  }
  void OnUse(LimitCheck check, double share) override { uses.emplace_back(LimitCheckName(check), share); }
  void OnFault(LimiterFault fault) override { faults.push_back(fault); }
  void OnBreakerState(std::string_view breaker, BreakerState state) override {
    breakers.push_back(std::string(breaker) + " " + std::string(BreakerStateName(state)));
  }
  std::vector<std::string> decisions;
  std::vector<std::pair<std::string, double>> uses;
  std::vector<LimiterFault> faults;
  std::vector<std::string> breakers;
};

class RateLimitTest : public ::testing::Test {
 protected:
  RateLimitTest() {
    tools_ = {MakeTool("create_block", 0), MakeTool("get_block", 1), MakeTool("web_search", 2),
              MakeTool("image_search", 3)};
    tools_[0].definition.limits = {{Audience::kAny, 3, absl::Hours(1)}, {Audience::kAny, 5, absl::Hours(24)}};
    tools_[2].definition.limits = {{Audience::kUser, 4, absl::Hours(5)}, {Audience::kGuest, 1, absl::Hours(5)}};
    tools_[2].definition.provider = "search";
    tools_[3].definition.provider = "search";
  }

  void Make(const RateLimiting& config) { Make(config, *store_); }
  void Make(const RateLimiting& config, LimiterStore& store) {
    auto layer = RateLimit::Create(tools_, config, clock_, store, breakers_, &observer_);
    ASSERT_TRUE(layer.ok()) << layer.status();
    layer_ = *std::move(layer);
  }

  absl::Status Call(size_t tool, const absl::StatusOr<ToolResult>& outcome = Success()) {
    return Run(*MakeCall(tools_[tool]), outcome);
  }
  absl::Status Run(ToolCall& call, const absl::StatusOr<ToolResult>& outcome = Success()) {
    return layer_
        ->Run(call,
              [&](ToolCall&) {
                ++ran_;
                return outcome;
              })
        .status();
  }
  // Number of `tries` calls that pass.
  int Passing(size_t tool, int tries) {
    int passing = 0;
    for (int i = 0; i < tries; ++i) passing += Call(tool).ok() ? 1 : 0;
    return passing;
  }

  FakeClock clock_;
  std::unique_ptr<LocalLimiterStore> store_ = *LocalLimiterStore::Create(100, clock_);
  RecordingObserver observer_;
  BreakerRegistry breakers_{
      clock_, [this](std::string_view breaker, BreakerState state) { observer_.OnBreakerState(breaker, state); }};
  std::vector<Tool> tools_;
  std::unique_ptr<RateLimit> layer_;
  int ran_ = 0;
};

TEST_F(RateLimitTest, ARolesLimitReplacesTheTools) {
  config::v1::Identity identity;
  auto& window = *(*(*identity.mutable_roles())["bulk"].mutable_limits())["create_block"].add_windows();
  window.set_audience("any");
  window.set_max_calls(10);
  *window.mutable_window() = testing::ProtoSeconds(60);
  auto layer = RateLimit::Create(tools_, DefaultConfig(), clock_, *store_, breakers_, &observer_, identity);
  ASSERT_TRUE(layer.ok()) << layer.status();
  layer_ = *std::move(layer);
  const auto passing = [&](std::vector<std::string> roles, size_t tool) {
    int count = 0;
    for (int i = 0; i < 20; ++i) {
      const auto call = MakeCall(tools_[tool]);
      call->caller.roles = roles;
      count += Run(*call).ok() ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(passing({"other", "bulk"}, 0), 10);
  EXPECT_EQ(passing({"other"}, 0), 3) << "without the role the tool's own limit holds";
  EXPECT_EQ(passing({"bulk"}, 2), 4) << "another tool's limit is as it was";
  const auto usage = layer_->ListQuotaUsage("w1", "ada");
  ASSERT_TRUE(usage.ok());
  EXPECT_TRUE(std::any_of(usage->begin(), usage->end(), [](const QuotaUsage& row) {
    return row.tool_id == "create_block@bulk" && row.used == 10 && row.limit == 10;
  }));
}

TEST_F(RateLimitTest, ARolesLimitForNoToolIsRefused) {
  config::v1::Identity identity;
  (*(*identity.mutable_roles())["bulk"].mutable_limits())["create_blok"].add_windows();
  const auto layer = RateLimit::Create(tools_, DefaultConfig(), clock_, *store_, breakers_, &observer_, identity);
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RateLimitTest, RefusesOverAnHourlyLimitWithFactsAndTheTrueWait) {
  Make(DefaultConfig());
  EXPECT_EQ(Passing(0, 3), 3);
  clock_.Advance(absl::Minutes(10));
  const std::optional<ToolError> error = GetToolError(Call(0));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kRateLimited);
  EXPECT_TRUE(error->retryable);
  EXPECT_EQ(error->retry_after, absl::Minutes(50));
  EXPECT_EQ(FactOf(*error, "limit"), "3");
  EXPECT_EQ(FactOf(*error, "window"), "1h");
  EXPECT_EQ(FactOf(*error, "scope"), "tool");
  EXPECT_THAT(error->message, HasSubstr("calls of create_block are limited to 3 in 1h; try again in 50m"));
  clock_.Advance(absl::Minutes(50));
  EXPECT_TRUE(Call(0).ok());
}

TEST_F(RateLimitTest, WindowsOfADayAreQuotas) {
  Make(DefaultConfig());
  Passing(0, 3);
  clock_.Advance(absl::Hours(2));
  Passing(0, 2);
  const std::optional<ToolError> error = GetToolError(Call(0));
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_TRUE(error->retryable);
  EXPECT_EQ(error->retry_after, absl::Hours(22));
  EXPECT_EQ(FactOf(*error, "window"), "24h");
}

TEST_F(RateLimitTest, GuestsAndUsersHaveTheirOwnLimits) {
  Make(DefaultConfig());
  const auto guest = MakeCall(tools_[2]);
  guest->caller.is_guest = true;
  EXPECT_TRUE(Run(*guest).ok());
  EXPECT_EQ(CodeOf(Run(*guest)), ErrorCode::kRateLimited);
  EXPECT_EQ(Passing(2, 10), 4);
}

TEST_F(RateLimitTest, ToolsWithoutLimitsAlwaysPass) {
  Make(DefaultConfig());
  EXPECT_EQ(Passing(1, 1000), 1000);
  EXPECT_THAT(observer_.decisions, IsEmpty());
  EXPECT_EQ(store_->tracked_users(), 0);
}

TEST_F(RateLimitTest, ConfigurationReplacesTheDefinitionsLimits) {
  RateLimiting config = DefaultConfig();
  AddWindow((*config.mutable_tools())["create_block"], "any", 7, 60);
  AddWindow((*config.mutable_tools())["get_block"], "user", 2, 60);
  (*config.mutable_tools())["web_search"];  // No windows: no limit.
  Make(config);
  EXPECT_EQ(Passing(0, 20), 7);
  EXPECT_EQ(Passing(1, 20), 2);
  EXPECT_EQ(Passing(2, 20), 20);
}

TEST_F(RateLimitTest, AStarLimitsAllCallsOfAUserTogether) {
  RateLimiting config = DefaultConfig();
  AddWindow((*config.mutable_tools())["*"], "user", 5, 60);
  Make(config);
  EXPECT_EQ(Passing(1, 3), 3);
  EXPECT_EQ(Passing(3, 10), 2);
  const std::optional<ToolError> error = GetToolError(Call(1));
  EXPECT_EQ(FactOf(*error, "scope"), "user");
  const auto other = MakeCall(tools_[1]);
  other->caller.user_id = "bob";
  EXPECT_TRUE(Run(*other).ok());
}

TEST_F(RateLimitTest, AProvidersThrottleCountsEverybody) {
  RateLimiting config = DefaultConfig();
  AddWindow((*config.mutable_providers())["search"], "any", 3, 60);
  Make(config);
  EXPECT_EQ(Passing(2, 2), 2);
  const auto other = MakeCall(tools_[3]);
  other->caller.workspace_id = "w2";
  EXPECT_TRUE(Run(*other).ok());
  const std::optional<ToolError> error = GetToolError(Run(*other));
  EXPECT_EQ(error->code, ErrorCode::kRateLimited);
  EXPECT_EQ(FactOf(*error, "scope"), "provider");
  EXPECT_EQ(Passing(1, 1), 1) << "tools of no provider pass";
}

TEST_F(RateLimitTest, ChecksInOrderAndReportsTheFirst) {
  RateLimiting config = DefaultConfig();
  AddWindow((*config.mutable_providers())["search"], "any", 1, 10);
  AddWindow((*config.mutable_tools())["*"], "any", 1, 20);
  AddWindow((*config.mutable_tools())["web_search"], "any", 1, 30);
  Make(config);
  EXPECT_TRUE(Call(2).ok());
  absl::Duration wait = absl::Seconds(30);
  for (const char* scope : {"provider", "user", "tool"}) {
    const std::optional<ToolError> error = GetToolError(Call(2));
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(FactOf(*error, "scope"), scope);
    EXPECT_EQ(error->retry_after, wait) << "until all three have room";
    clock_.Advance(absl::Seconds(10));
    wait -= absl::Seconds(10);
  }
  EXPECT_TRUE(Call(2).ok());
}

TEST_F(RateLimitTest, ACallThatDidNotRunGetsItsChargeBack) {
  Make(DefaultConfig());
  ToolResult question;
  question.confirmation.emplace();
  ToolResult replay = Success();
  replay.replayed = true;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(Call(0, question).ok());
    EXPECT_TRUE(Call(0, replay).ok());
    EXPECT_EQ(CodeOf(Call(0, MakeError(ErrorCode::kOverloaded, "busy"))), ErrorCode::kOverloaded);
    EXPECT_EQ(Call(0, absl::UnavailableError("the store is away")).code(), absl::StatusCode::kUnavailable);
  }
  EXPECT_EQ(Passing(0, 10), 3);
}

TEST_F(RateLimitTest, AToolThatRanAndFailedIsCharged) {
  Make(DefaultConfig());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Call(0, Failure(ErrorCode::kNotFound)).ok());
  EXPECT_EQ(CodeOf(Call(0)), ErrorCode::kRateLimited);
}

TEST_F(RateLimitTest, ADryRunIsChargedLikeTheCall) {
  Make(DefaultConfig());
  const auto dry = MakeCall(tools_[0]);
  dry->dry_run = true;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Run(*dry).ok());
  EXPECT_EQ(CodeOf(Run(*dry)), ErrorCode::kRateLimited);
  EXPECT_EQ(CodeOf(Call(0)), ErrorCode::kRateLimited);
}

TEST_F(RateLimitTest, AStepOfAnAutomationIsChargedLikeAnyCall) {
  Make(DefaultConfig());
  const auto step = MakeCall(tools_[0]);
  step->step_of = StepOf{.call_id = "c1"};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Run(*step).ok());
  EXPECT_EQ(CodeOf(Run(*step)), ErrorCode::kRateLimited);
  EXPECT_EQ(CodeOf(Call(0)), ErrorCode::kRateLimited);
}

TEST_F(RateLimitTest, TellsHowMuchOfALimitIsUsed) {
  Make(DefaultConfig());
  EXPECT_EQ(Passing(0, 4), 3);  // 3 an hour, 5 a day.
  EXPECT_THAT(observer_.uses, ElementsAre(Pair("tool_limit", DoubleEq(1.0 / 3)), Pair("tool_limit", DoubleEq(2.0 / 3)),
                                          Pair("tool_limit", DoubleEq(1)), Pair("tool_limit", Gt(1))));
  EXPECT_TRUE(Call(1).ok());
  EXPECT_EQ(observer_.uses.size(), 4u) << "a tool without limits";
}

TEST_F(RateLimitTest, TellsWhyLimitsCannotBeChecked) {
  BrokenStore broken;
  Make(DefaultConfig(), broken);
  EXPECT_EQ(Passing(0, 2), 0);
  EXPECT_THAT(observer_.faults, ElementsAre(LimiterFault::kUnreachable, LimiterFault::kUnreachable));
  const auto full = LocalLimiterStore::Create(1, clock_).value();
  Make(DefaultConfig(), *full);
  EXPECT_TRUE(Call(0).ok());
  const auto other = MakeCall(tools_[0]);
  other->caller.user_id = "another";
  EXPECT_EQ(CodeOf(Run(*other)), ErrorCode::kOverloaded);
  EXPECT_EQ(observer_.faults.back(), LimiterFault::kFull);
}

TEST_F(RateLimitTest, InReportModeItCountsAndLetsPass) {
  RateLimiting config = DefaultConfig();
  config.set_enforcement(config::v1::ENFORCEMENT_REPORT);
  Make(config);
  EXPECT_EQ(Passing(0, 5), 5);
  EXPECT_THAT(observer_.decisions, ElementsAre("create_block tool_limit allowed", "create_block tool_limit allowed",
                                               "create_block tool_limit allowed", "create_block tool_limit shadow",
                                               "create_block tool_limit shadow"));
  EXPECT_EQ(layer_->ListQuotaUsage("w1", "ada")->front().used, 3) << "what would be refused is not charged";
}

struct StoreFailureRow {
  const char* name;
  config::v1::OnStoreFailure on_failure;
  config::v1::Enforcement enforcement;
  bool passes;
  const char* decision;
};

class StoreFailureTest : public RateLimitTest, public ::testing::WithParamInterface<StoreFailureRow> {};

TEST_P(StoreFailureTest, DecidesAsConfiguredAndCountsIt) {
  BrokenStore broken;
  RateLimiting config = DefaultConfig();
  config.set_on_store_failure(GetParam().on_failure);
  config.set_enforcement(GetParam().enforcement);
  Make(config, broken);
  const absl::Status status = Call(0);
  EXPECT_EQ(ran_, GetParam().passes ? 1 : 0);
  if (!GetParam().passes) {
    EXPECT_EQ(CodeOf(status), ErrorCode::kOverloaded);
    EXPECT_TRUE(GetToolError(status)->retry_after.has_value());
    EXPECT_THAT(GetToolError(status)->message, Not(HasSubstr("connection")));
  }
  EXPECT_THAT(observer_.decisions, ElementsAre(GetParam().decision));
  EXPECT_TRUE(Call(1).ok()) << "a tool without limits needs no store";
}

INSTANTIATE_TEST_SUITE_P(
    Modes, StoreFailureTest,
    ::testing::Values(StoreFailureRow{"Closed", config::v1::ON_STORE_FAILURE_FAIL_CLOSED,
                                      config::v1::ENFORCEMENT_ENFORCE, false, "create_block tool_limit fail_closed"},
                      StoreFailureRow{"Open", config::v1::ON_STORE_FAILURE_FAIL_OPEN, config::v1::ENFORCEMENT_ENFORCE,
                                      true, "create_block tool_limit fail_open"},
                      StoreFailureRow{"Report", config::v1::ON_STORE_FAILURE_FAIL_CLOSED,
                                      config::v1::ENFORCEMENT_REPORT, true, "create_block tool_limit fail_open"}),
    [](const auto& row) { return row.param.name; });

TEST_F(RateLimitTest, WhileTheStoreIsDownNoneOfAHundredThousandCallsPasses) {
  BrokenStore broken;
  Make(DefaultConfig(), broken);
  EXPECT_EQ(Passing(0, 100'000), 0);
  EXPECT_EQ(ran_, 0);
}

// A tool with a provider, behind all three checks, each of which may have its own setting for an unreachable store.
struct OwnChoiceRow {
  const char* name;
  config::v1::OnStoreFailure of_all;
  config::v1::OnStoreFailure of_provider;
  config::v1::OnStoreFailure of_user;
  std::vector<config::v1::OnStoreFailure> of_tool;  // One for each window.
  std::vector<std::string> counted;                 // For each call.
  const char* scope;                                // Of the refusal; empty: it passes.
};

class OwnChoiceTest : public RateLimitTest, public ::testing::WithParamInterface<OwnChoiceRow> {};

TEST_P(OwnChoiceTest, OfALimitHoldsWhileTheStoreIsDown) {
  const OwnChoiceRow& row = GetParam();
  RateLimiting config = DefaultConfig();
  config.set_on_store_failure(row.of_all);
  const auto add = [](config::v1::ToolLimits& limits, config::v1::OnStoreFailure choice) {
    AddWindow(limits, "any", 1000, 60 * (limits.windows_size() + 1));
    limits.mutable_windows(limits.windows_size() - 1)->set_on_store_failure(choice);
  };
  add((*config.mutable_providers())["search"], row.of_provider);
  add((*config.mutable_tools())["*"], row.of_user);
  for (const auto choice : row.of_tool) add((*config.mutable_tools())["web_search"], choice);
  BrokenStore broken;
  Make(config, broken);
  constexpr int kCalls = 1000;
  std::vector<std::string> expected;
  for (int i = 0; i < kCalls; ++i) {
    const absl::Status status = Call(2);
    expected.insert(expected.end(), row.counted.begin(), row.counted.end());
    if (std::string_view(row.scope).empty()) {
      ASSERT_TRUE(status.ok()) << status;
      continue;
    }
    ASSERT_EQ(CodeOf(status), ErrorCode::kOverloaded);
    ASSERT_EQ(FactOf(*GetToolError(status), "scope"), row.scope);
  }
  EXPECT_EQ(ran_, std::string_view(row.scope).empty() ? kCalls : 0);
  EXPECT_EQ(observer_.decisions, expected);
}

constexpr auto kSameAsAll = config::v1::ON_STORE_FAILURE_UNSPECIFIED;
constexpr auto kFailClosed = config::v1::ON_STORE_FAILURE_FAIL_CLOSED;
constexpr auto kFailOpen = config::v1::ON_STORE_FAILURE_FAIL_OPEN;

INSTANTIATE_TEST_SUITE_P(
    Rows, OwnChoiceTest,
    ::testing::Values(OwnChoiceRow{"NoneSays",
                                   kFailClosed,
                                   kSameAsAll,
                                   kSameAsAll,
                                   {kSameAsAll},
                                   {"web_search provider_throttle fail_closed"},
                                   "provider"},
                      OwnChoiceRow{"AllSayOpen",
                                   kFailClosed,
                                   kFailOpen,
                                   kFailOpen,
                                   {kFailOpen, kFailOpen},
                                   {"web_search provider_throttle fail_open", "web_search user_limit fail_open",
                                    "web_search tool_limit fail_open"},
                                   ""},
                      OwnChoiceRow{"OneKeepsTheDefault",
                                   kFailClosed,
                                   kFailOpen,
                                   kSameAsAll,
                                   {kFailOpen},
                                   {"web_search user_limit fail_closed"},
                                   "user"},
                      OwnChoiceRow{"OneOfTwoWindowsIsClosed",
                                   kFailClosed,
                                   kFailOpen,
                                   kFailOpen,
                                   {kFailOpen, kFailClosed},
                                   {"web_search tool_limit fail_closed"},
                                   "tool"},
                      OwnChoiceRow{"ClosedAgainstAnOpenDefault",
                                   kFailOpen,
                                   kSameAsAll,
                                   kSameAsAll,
                                   {kFailClosed},
                                   {"web_search tool_limit fail_closed"},
                                   "tool"},
                      OwnChoiceRow{"OpenByDefault",
                                   kFailOpen,
                                   kSameAsAll,
                                   kSameAsAll,
                                   {kSameAsAll},
                                   {"web_search provider_throttle fail_open", "web_search user_limit fail_open",
                                    "web_search tool_limit fail_open"},
                                   ""}),
    [](const auto& row) { return row.param.name; });

TEST_F(RateLimitTest, AFullTableRefusesNewUsersEvenWhenConfiguredToFailOpen) {
  const auto small = *LocalLimiterStore::Create(1, clock_);
  RateLimiting config = DefaultConfig();
  config.set_on_store_failure(config::v1::ON_STORE_FAILURE_FAIL_OPEN);
  Make(config, *small);
  EXPECT_TRUE(Call(0).ok());
  const auto other = MakeCall(tools_[0]);
  other->caller.user_id = "bob";
  const std::optional<ToolError> error = GetToolError(Run(*other));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kOverloaded);
  EXPECT_EQ(error->retry_after, absl::Hours(24));
  EXPECT_EQ(observer_.decisions.back(), "create_block tool_limit fail_closed");
}

struct HealthRow {
  const char* name;
  absl::StatusOr<ToolResult> outcome;
  bool opens;
};

class BreakerVerdictTest : public RateLimitTest, public ::testing::WithParamInterface<HealthRow> {};

TEST_P(BreakerVerdictTest, OnlyFaultsOfTheToolCount) {
  Make(DefaultConfig());
  for (int i = 0; i < 100; ++i) Call(1, GetParam().outcome).IgnoreError();
  EXPECT_EQ(CodeOf(Call(1)) == ErrorCode::kCircuitOpen, GetParam().opens);
  EXPECT_EQ(ran_, GetParam().opens ? 5 : 101);
}

INSTANTIATE_TEST_SUITE_P(
    Outcomes, BreakerVerdictTest,
    ::testing::Values(HealthRow{"ExecutionError", Failure(ErrorCode::kExecutionError), true},
                      HealthRow{"Timeout", Failure(ErrorCode::kTimeout), false},
                      HealthRow{"FailureWithoutError", ToolResult(), true}, HealthRow{"Success", Success(), false},
                      HealthRow{"NotFound", Failure(ErrorCode::kNotFound), false},
                      HealthRow{"Conflict", Failure(ErrorCode::kConflict), false},
                      HealthRow{"InvalidParams", Failure(ErrorCode::kInvalidParams), false},
                      HealthRow{"Cancelled", Failure(ErrorCode::kCancelled), false},
                      HealthRow{"NotConfigured", Failure(ErrorCode::kNotConfigured), false},
                      HealthRow{"RefusedFurtherIn", MakeError(ErrorCode::kOverloaded, "busy"), false},
                      HealthRow{"DeadlineBeforeTheStart", MakeError(ErrorCode::kTimeout, "late"), false},
                      HealthRow{"StoreAway", absl::UnavailableError("away"), false},
                      HealthRow{"AuditBroken", absl::InternalError("disk"), false}),
    [](const auto& row) { return row.param.name; });

TEST_F(RateLimitTest, NoCallerOpensABreakerByShortDeadlines) {
  Make(DefaultConfig());
  // `late`: the clock has passed the deadline before the tool reports that it ran out of time.
  const auto time_out = [&](size_t tool, absl::Duration callers, bool late) {
    const auto call = MakeCall(tools_[tool]);
    call->cancellation.Reset(clock_, clock_.Monotonic() + callers);
    call->cancellation.TightenByService(clock_.Monotonic() + absl::Milliseconds(200));
    if (late) clock_.Advance(absl::Milliseconds(200));
    return Run(*call, Failure(ErrorCode::kTimeout));
  };
  for (const size_t tool : {1, 3}) {
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(time_out(tool, absl::Milliseconds(50), i % 2 == 0).ok());
  }
  EXPECT_THAT(layer_->ListBreakers(), IsEmpty()) << "nothing was counted, neither way";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(time_out(3, absl::Seconds(20), i % 2 == 0).ok());
  EXPECT_EQ(CodeOf(time_out(3, absl::Seconds(20), true)), ErrorCode::kCircuitOpen) << "the provider is too slow";
}

TEST_F(RateLimitTest, AProbeThatItsCallerEndsIsGivenBack) {
  Make(DefaultConfig());
  for (int i = 0; i < 5; ++i) Call(3, Failure(ErrorCode::kExecutionError)).IgnoreError();
  clock_.Advance(absl::Seconds(15));
  for (int i = 0; i < 10; ++i) {
    const auto probe = MakeCall(tools_[3]);
    probe->cancellation.Reset(clock_, clock_.Monotonic() + absl::Milliseconds(50));
    EXPECT_TRUE(Run(*probe, Failure(ErrorCode::kTimeout)).ok()) << "more than three probes one after the other";
  }
  EXPECT_EQ(layer_->ListBreakers().back().state, BreakerState::kHalfOpen);
  EXPECT_EQ(Passing(3, 3), 3);
  EXPECT_EQ(layer_->ListBreakers().back().state, BreakerState::kClosed);
}

TEST_F(RateLimitTest, AnOpenBreakerRefusesWithTheWaitAndChargesNothing) {
  Make(DefaultConfig());
  for (int i = 0; i < 5; ++i) Call(3, Failure(ErrorCode::kTimeout)).IgnoreError();
  clock_.Advance(absl::Seconds(5));
  const std::optional<ToolError> error = GetToolError(Call(3));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kCircuitOpen);
  EXPECT_EQ(error->retry_after, absl::Seconds(10));
  EXPECT_EQ(FactOf(*error, "breaker"), "tool:image_search");
  EXPECT_EQ(observer_.decisions.back(), "image_search circuit_breaker refused");
  EXPECT_THAT(observer_.breakers, ::testing::UnorderedElementsAre("tool:image_search open", "provider:search open"));
}

TEST_F(RateLimitTest, ToolsOfOneProviderShareItsBreaker) {
  Make(DefaultConfig());
  for (int i = 0; i < 5; ++i) Call(3, Failure(ErrorCode::kTimeout)).IgnoreError();
  const std::optional<ToolError> error = GetToolError(Call(2));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(FactOf(*error, "breaker"), "provider:search");
  EXPECT_TRUE(Call(1).ok()) << "other tools are not affected";
  EXPECT_THAT(*layer_->ListQuotaUsage("w1", "ada"), IsEmpty());
}

TEST_F(RateLimitTest, ARefusalByAWindowGivesTheProbesPlaceBack) {
  tools_[1].definition.limits = {{Audience::kAny, 5, absl::Hours(1)}};
  Make(DefaultConfig());
  for (int i = 0; i < 5; ++i) Call(1, Failure(ErrorCode::kExecutionError)).IgnoreError();
  clock_.Advance(absl::Seconds(15));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(CodeOf(Call(1)), ErrorCode::kRateLimited);
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(Passing(1, 3), 3);
  EXPECT_EQ(layer_->ListBreakers().front().state, BreakerState::kClosed);
}

TEST_F(RateLimitTest, ListsAndResetsBreakers) {
  Make(DefaultConfig());
  EXPECT_THAT(layer_->ListBreakers(), IsEmpty());
  Call(1).IgnoreError();
  for (int i = 0; i < 5; ++i) Call(3, Failure(ErrorCode::kTimeout)).IgnoreError();
  std::vector<std::string> names;
  for (const BreakerSnapshot& breaker : layer_->ListBreakers()) names.push_back(breaker.name);
  EXPECT_THAT(names, ElementsAre("provider:search", "tool:get_block", "tool:image_search"));
  for (const char* name : {"provider:search", "tool:image_search"}) {
    EXPECT_EQ(CodeOf(Call(3)), ErrorCode::kCircuitOpen);
    EXPECT_EQ(layer_->ResetBreaker(name)->state, BreakerState::kClosed);
  }
  EXPECT_TRUE(Call(3).ok());
  EXPECT_EQ(CodeOf(layer_->ResetBreaker("tool:none").status()), ErrorCode::kNotFound);
}

TEST_F(RateLimitTest, ListsTheQuotasThatAUserUsed) {
  RateLimiting config = DefaultConfig();
  AddWindow((*config.mutable_tools())["*"], "user", 100, 60);
  Make(config);
  Passing(0, 2);
  clock_.Advance(absl::Seconds(30));
  Passing(2, 1);
  const auto guest = MakeCall(tools_[2]);
  guest->caller.is_guest = true;
  Run(*guest).IgnoreError();
  const auto usages = *layer_->ListQuotaUsage("w1", "ada");
  std::vector<std::tuple<std::string, bool, int64_t, int64_t>> rows;
  for (const QuotaUsage& usage : usages) rows.emplace_back(usage.tool_id, usage.is_guest, usage.used, usage.limit);
  EXPECT_THAT(rows, ElementsAre(std::tuple("*", false, 3, 100), std::tuple("create_block", false, 2, 3),
                                std::tuple("create_block", false, 2, 5), std::tuple("web_search", false, 1, 4),
                                std::tuple("web_search", true, 1, 1)));
  EXPECT_EQ(usages[1].window, absl::Hours(1));
  EXPECT_EQ(usages[1].resets_at, clock_.Now() - absl::Seconds(30) + absl::Hours(1));
  EXPECT_THAT(*layer_->ListQuotaUsage("w1", "bob"), IsEmpty());
  EXPECT_THAT(*layer_->ListQuotaUsage("w2", "ada"), IsEmpty());
}

TEST_F(RateLimitTest, SixtyFourThreadsThroughTheLayerPassExactlyTheLimit) {
  tools_[0].definition.limits = {{Audience::kAny, 500, absl::Hours(1)}};
  auto layer = *RateLimit::Create(tools_, DefaultConfig(), clock_, *store_, breakers_);
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const auto call = MakeCall(tools_[0]);
        layer
            ->Run(*call,
                  [&](ToolCall&) {
                    ++ran;
                    return Success();
                  })
            .IgnoreError();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran.load(), 500);
}

struct BadConfigRow {
  const char* name;
  void (*change)(RateLimiting&, std::vector<Tool>&);
  const char* says;
};

class BadConfigTest : public RateLimitTest, public ::testing::WithParamInterface<BadConfigRow> {};

TEST_P(BadConfigTest, IsRefusedWithAClearMessage) {
  RateLimiting config = DefaultConfig();
  GetParam().change(config, tools_);
  const auto layer = RateLimit::Create(tools_, config, clock_, *store_, breakers_);
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(layer.status().message()), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadConfigTest,
    ::testing::Values(
        BadConfigRow{
            "NoEnforcement",
            [](RateLimiting& c, std::vector<Tool>&) { c.set_enforcement(config::v1::ENFORCEMENT_UNSPECIFIED); },
            "rate_limiting.enforcement"},
        BadConfigRow{"NoStorePolicy",
                     [](RateLimiting& c, std::vector<Tool>&) {
                       c.set_on_store_failure(config::v1::ON_STORE_FAILURE_UNSPECIFIED);
                     },
                     "rate_limiting.on_store_failure"},
        BadConfigRow{"NoBreaker", [](RateLimiting& c, std::vector<Tool>&) { c.clear_circuit_breaker(); },
                     "circuit_breaker.window"},
        BadConfigRow{"BreakerWithoutWindow",
                     [](RateLimiting& c, std::vector<Tool>&) { *c.mutable_circuit_breaker()->mutable_window() = ProtoSeconds(0); },
                     "circuit_breaker.window: is 0s"},
        BadConfigRow{"BreakerOverMoreThanADay",
                     [](RateLimiting& c, std::vector<Tool>&) { *c.mutable_circuit_breaker()->mutable_window() = ProtoSeconds(86401); },
                     "circuit_breaker.window"},
        BadConfigRow{"BreakerOfNoCalls",
                     [](RateLimiting& c, std::vector<Tool>&) { c.mutable_circuit_breaker()->set_min_calls(0); },
                     "circuit_breaker.min_calls: is 0"},
        BadConfigRow{"BreakerAtNoFailure",
                     [](RateLimiting& c, std::vector<Tool>&) { c.mutable_circuit_breaker()->set_failure_ratio(0); },
                     "circuit_breaker.failure_ratio: is 0"},
        BadConfigRow{"BreakerBeyondAllFailures",
                     [](RateLimiting& c, std::vector<Tool>&) { c.mutable_circuit_breaker()->set_failure_ratio(1.01); },
                     "circuit_breaker.failure_ratio: is 1.01"},
        BadConfigRow{"BreakerAfterNoFailure",
                     [](RateLimiting& c, std::vector<Tool>&) { c.mutable_circuit_breaker()->set_consecutive_failures(0); },
                     "circuit_breaker.consecutive_failures: is 0"},
        BadConfigRow{"BreakerThatIsNeverOpen",
                     [](RateLimiting& c, std::vector<Tool>&) { *c.mutable_circuit_breaker()->mutable_open_duration() = ProtoSeconds(0); },
                     "circuit_breaker.open_duration: is 0s"},
        BadConfigRow{"BreakerWithoutProbes",
                     [](RateLimiting& c, std::vector<Tool>&) { c.mutable_circuit_breaker()->set_half_open_probes(0); },
                     "circuit_breaker.half_open_probes: is 0"},
        BadConfigRow{"UnknownTool",
                     [](RateLimiting& c, std::vector<Tool>&) { AddWindow((*c.mutable_tools())["nope"], "any", 1, 1); },
                     "there is no tool \"nope\""},
        BadConfigRow{"UnknownAudience",
                     [](RateLimiting& c, std::vector<Tool>&) { AddWindow((*c.mutable_tools())["*"], "all", 1, 1); },
                     "rate_limiting.tools[\"*\"].windows[0].audience: is \"all\""},
        BadConfigRow{"NoCalls",
                     [](RateLimiting& c, std::vector<Tool>&) { AddWindow((*c.mutable_tools())["*"], "any", 0, 1); },
                     ".max_calls: is 0; must be from 1 to 1000000"},
        BadConfigRow{
            "TooManyCalls",
            [](RateLimiting& c, std::vector<Tool>&) { AddWindow((*c.mutable_tools())["*"], "any", 2'000'000, 1); },
            "is 2000000; must be from 1 to 1000000"},
        BadConfigRow{"NoWindow",
                     [](RateLimiting& c, std::vector<Tool>&) { AddWindow((*c.mutable_tools())["*"], "any", 1, 0); },
                     ".window: is 0s; must be from 1ms to 366d"},
        BadConfigRow{"TheSameWindowTwice",
                     [](RateLimiting& c, std::vector<Tool>&) {
                       AddWindow((*c.mutable_tools())["*"], "any", 1, 60);
                       AddWindow((*c.mutable_tools())["*"], "guest", 2, 60);
                     },
                     "windows[1].window: is 1m, and so is that of windows[0]"},
        BadConfigRow{
            "UnknownProvider",
            [](RateLimiting& c, std::vector<Tool>&) { AddWindow((*c.mutable_providers())["nope"], "any", 1, 1); },
            "no tool calls a provider \"nope\""},
        BadConfigRow{
            "AProvidersLimitForGuests",
            [](RateLimiting& c, std::vector<Tool>&) { AddWindow((*c.mutable_providers())["search"], "guest", 1, 1); },
            "over all callers together and must be any"},
        BadConfigRow{
            "BadLimitInADefinition",
            [](RateLimiting&,
               std::vector<Tool>& tools) { tools[1].definition.limits = {{Audience::kAny, -1, absl::Hours(1)}}; },
            "tool get_block"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace toolgate::security::rate_limit
