#include "security/execution_tracking/execution_tracking.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::execution_tracking {
namespace {

using config::v1::ExecutionTracking;
using executors::Tool;
using testing::CodeOf;
using testing::Failure;
using testing::FakeClock;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeCall;
using testing::MakeTool;
using testing::ProtoSeconds;
using testing::Success;
using Layer4 = execution_tracking::ExecutionTracking;

config::v1::ExecutionTracking DefaultConfig() {
  config::v1::ExecutionTracking config;
  config.set_max_calls_per_request(10);
  *config.mutable_tool_timeout() = ProtoSeconds(60);
  *config.mutable_max_execution_time_per_request() = ProtoSeconds(30);
  *config.mutable_request_memory() = ProtoSeconds(600);
  config.set_max_tracked_requests(100);
  config.set_max_in_flight(8);
  config.set_max_queued(4);
  config.set_max_effects(6);
  config.set_max_effects_per_provider(2);
  config.set_max_share_per_user(1);
  config.set_max_share_per_workspace(1);
  config.set_max_query_memory_bytes(1 << 20);
  *config.mutable_max_queue_time() = ProtoSeconds(1);
  config.set_max_result_bytes(1024);
  return config;
}

// Holds calls inside until it is opened.
class Gate {
 public:
  void Pass() {
    ++inside_;
    while (!open_) std::this_thread::yield();
  }
  void AwaitInside(int count) const {
    while (inside_ != count) std::this_thread::yield();
  }
  void Open() { open_ = true; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> open_{false};
};

class ExecutionTrackingTest : public ::testing::Test {
 protected:
  ExecutionTrackingTest() {
    tools_ = {MakeTool("get_block", 0), MakeTool("quick", 1), MakeTool("web_search", 2)};
    tools_[1].definition.timeout = absl::Seconds(5);
    tools_[2].definition.module = "search";
    tools_[2].definition.annotations.open_world = true;
    Make(DefaultConfig());
  }

  void Make(const config::v1::ExecutionTracking& config) {
    auto state = ExecutionState::Create(tools_, config, clock_);
    ASSERT_TRUE(state.ok()) << state.status();
    layer_ = nullptr;
    state_ = *std::move(state);
    Reload(config);
  }
  // A new layer over the same state.
  void Reload(const config::v1::ExecutionTracking& config) {
    auto layer = Layer4::Create(tools_, config, clock_, *state_);
    ASSERT_TRUE(layer.ok()) << layer.status();
    layer_ = *std::move(layer);
  }
  std::unique_ptr<ToolCall> CallOf(size_t tool, std::string_view request_id = "") {
    auto call = MakeCall(tools_[tool]);
    call->request_id = request_id;
    call->cancellation.Reset(clock_, absl::InfiniteDuration());
    return call;
  }
  absl::StatusOr<ToolResult> Run(ToolCall& call, absl::StatusOr<ToolResult> outcome = Success(),
                                 absl::Duration duration = absl::ZeroDuration()) {
    ran_ = false;
    return layer_->Run(call, [&](ToolCall&) {
      ran_ = true;
      clock_.Advance(duration);
      return outcome;
    });
  }

  FakeClock clock_;
  std::vector<Tool> tools_;
  std::unique_ptr<ExecutionState> state_;
  std::unique_ptr<Layer4> layer_;
  bool ran_ = false;
};

TEST_F(ExecutionTrackingTest, DrawsTheDeadlineIn) {
  clock_.Advance(absl::Seconds(100));
  struct Row {
    const char* what;
    size_t tool;
    Budget budget;
    absl::Duration of_call;
    absl::Duration expected;
    bool is_callers;
  };
  const Row rows[] = {
      {"the request's execution time", 0, {}, absl::InfiniteDuration(), absl::Seconds(130), false},
      {"the tool's own time-out", 1, {}, absl::InfiniteDuration(), absl::Seconds(105), false},
      {"the configured time-out of a tool outside", 2, {}, absl::InfiniteDuration(), absl::Seconds(160), false},
      {"the call's budget",
       2,
       {.max_execution_time = absl::Seconds(2)},
       absl::InfiniteDuration(),
       absl::Seconds(102),
       true},
      {"the call's deadline, which is closer", 0, {}, absl::Seconds(101), absl::Seconds(101), true},
      {"both the same", 1, {.max_execution_time = absl::Seconds(5)}, absl::Seconds(105), absl::Seconds(105), false},
  };
  for (const Row& row : rows) {
    const auto call = CallOf(row.tool);
    call->budget = row.budget;
    call->cancellation.Reset(clock_, row.of_call);
    EXPECT_TRUE(Run(*call).ok());
    EXPECT_EQ(call->cancellation.deadline(), row.expected) << row.what;
    EXPECT_EQ(call->cancellation.DeadlineIsCallers(), row.is_callers) << row.what;
  }
}

TEST_F(ExecutionTrackingTest, TheDeadlineShrinksAsTheRequestUsesItsTime) {
  EXPECT_TRUE(Run(*CallOf(0, "r1"), Success(), absl::Seconds(22)).ok());
  const auto call = CallOf(0, "r1");
  EXPECT_TRUE(Run(*call).ok());
  EXPECT_EQ(call->cancellation.deadline(), absl::Seconds(30));
  EXPECT_TRUE(call->cancellation.DeadlineIsCallers()) << "the request's other calls used up the rest";
  EXPECT_TRUE(Run(*CallOf(0, "r1"), Failure(ErrorCode::kTimeout), absl::Seconds(8)).ok());
  EXPECT_EQ(CodeOf(Run(*CallOf(0, "r1")).status()), ErrorCode::kQuotaExceeded);
  EXPECT_FALSE(ran_);
}

TEST_F(ExecutionTrackingTest, NeverStartsATooLateOrCancelledCall) {
  clock_.Advance(absl::Seconds(10));
  const auto late = CallOf(0, "r1");
  late->cancellation.Reset(clock_, absl::Seconds(10));
  EXPECT_EQ(Run(*late).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(ran_);
  const auto left = CallOf(0, "r1");
  left->cancellation.Cancel();
  EXPECT_EQ(CodeOf(Run(*left).status()), ErrorCode::kCancelled);
  EXPECT_FALSE(ran_);
  EXPECT_THAT(layer_->ListStatistics(), IsEmpty());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Run(*CallOf(0, "r1")).ok()) << "and they were not counted";
}

TEST_F(ExecutionTrackingTest, BoundsTheCallsOfARequest) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Run(*CallOf(i % 3, "r1")).ok());
  EXPECT_EQ(CodeOf(Run(*CallOf(0, "r1")).status()), ErrorCode::kQuotaExceeded);
  EXPECT_FALSE(ran_);
}

TEST_F(ExecutionTrackingTest, TokensUsedCountAgainstTheBudget) {
  tools_[2].definition.executor["tokensPerCall"] = 400;
  Make(DefaultConfig());
  const auto search = [&](int64_t tokens_used) {
    const auto call = CallOf(2, "r1");
    call->budget.max_tokens = 1000;
    ToolResult result = Success();
    result.tokens_used = tokens_used;
    return Run(*call, result).status();
  };
  EXPECT_TRUE(search(500).ok());
  EXPECT_TRUE(search(200).ok());
  EXPECT_EQ(CodeOf(search(0)), ErrorCode::kQuotaExceeded) << "300 are left, a call takes 400";
  EXPECT_TRUE(Run(*CallOf(0, "r1")).ok()) << "a tool that needs none";
}

TEST_F(ExecutionTrackingTest, ATokenBudgetThatIsUsedUpStopsToolsOutside) {
  for (const bool passes : {true, false}) {
    const auto call = CallOf(2, "r1");
    call->budget.max_tokens = 100;
    ToolResult result = Success();
    result.tokens_used = 150;
    EXPECT_EQ(Run(*call, result).ok(), passes);
  }
}

TEST_F(ExecutionTrackingTest, RecordsStatisticsByTool) {
  EXPECT_TRUE(Run(*CallOf(0), Success(), absl::Milliseconds(5)).ok());
  EXPECT_TRUE(Run(*CallOf(0), Failure(ErrorCode::kNotFound), absl::Milliseconds(7)).ok());
  EXPECT_FALSE(Run(*CallOf(2), absl::UnavailableError("away")).ok());
  const auto nested = CallOf(1);
  EXPECT_TRUE(layer_
                  ->Run(*nested,
                        [&](ToolCall&) -> absl::StatusOr<ToolResult> {
                          EXPECT_EQ(layer_->ListStatistics()[1].in_flight, 1);
                          EXPECT_EQ(layer_->ListStatistics()[1].calls, 0);
                          return Success();
                        })
                  .ok());
  const std::vector<ToolStatisticsRow> rows = layer_->ListStatistics();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].tool_id, "get_block");
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].failures, 1);
  EXPECT_EQ(rows[0].in_flight, 0);
  EXPECT_EQ(rows[0].total_duration, absl::Milliseconds(12));
  EXPECT_EQ(rows[2].failures, 1);
}

TEST_F(ExecutionTrackingTest, AThrowingStepLeavesNothingBehind) {
  const auto call = CallOf(0, "r1");
  EXPECT_THROW(layer_->Run(*call, [](ToolCall&) -> absl::StatusOr<ToolResult> { throw 1; }).IgnoreError(), int);
  EXPECT_EQ(state_->ListLoads()[0].in_flight, 0);
  EXPECT_THAT(layer_->ListStatistics(), IsEmpty());
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(Run(*CallOf(0, "r1")).ok());
  EXPECT_FALSE(Run(*CallOf(0, "r1")).ok()) << "it started, so it counts";
}

TEST_F(ExecutionTrackingTest, OneModuleCannotTakeAllPlaces) {
  Gate gate;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {  // Three quarters of 8.
    threads.emplace_back([&] {
      const auto call = CallOf(0);
      EXPECT_TRUE(layer_
                      ->Run(*call,
                            [&](ToolCall&) -> absl::StatusOr<ToolResult> {
                              gate.Pass();
                              return Success();
                            })
                      .ok());
    });
  }
  gate.AwaitInside(6);
  const std::vector<BulkheadLoad> loads = state_->ListLoads();
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(loads[0].in_flight, 6);
  EXPECT_EQ(loads[0].places, 8);
  EXPECT_EQ(loads[2].module, "workspace");
  EXPECT_EQ(loads[2].in_flight, 6);
  EXPECT_EQ(loads[2].places, 6);
  const auto impatient = CallOf(0);
  impatient->cancellation.Reset(clock_, clock_.Monotonic());
  EXPECT_EQ(CodeOf(Run(*impatient).status()), ErrorCode::kTimeout) << "would have to wait";
  EXPECT_TRUE(Run(*CallOf(2)).ok()) << "another module runs";
  gate.Open();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(state_->ListLoads()[0].in_flight, 0);
}

TEST_F(ExecutionTrackingTest, UnderOverloadThoseWhoWaitAreServedAndTheRestRefusedAtOnce) {
  config::v1::ExecutionTracking config = DefaultConfig();
  config.set_max_in_flight(2);
  (*config.mutable_max_in_flight_by_module())["workspace"] = 2;
  Make(config);
  Gate gate;
  std::atomic<int> served{0};
  const auto call_through_gate = [&] {
    const auto call = CallOf(0);
    const auto result = layer_->Run(*call, [&](ToolCall&) -> absl::StatusOr<ToolResult> {
      gate.Pass();
      return Success();
    });
    if (result.ok()) ++served;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back(call_through_gate);  // Two inside, four in line.
  gate.AwaitInside(2);
  while (state_->ListLoads()[1].waiting + state_->ListLoads()[2].waiting != 4) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {  // Ten times the places.
    const std::optional<ToolError> error = GetToolError(Run(*CallOf(0, "r1")).status());
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, ErrorCode::kOverloaded);
    EXPECT_EQ(error->retry_after, absl::Seconds(1));
    EXPECT_FALSE(ran_);
  }
  gate.Open();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served.load(), 6);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Run(*CallOf(0, "r1")).ok()) << "refused calls were not counted";
}

// As many calls of one user as there are, each inside the one before: those of another still run.
TEST_F(ExecutionTrackingTest, OneUserTakesNeitherAllPlacesNorTheWholeLine) {
  config::v1::ExecutionTracking config = DefaultConfig();
  config.set_max_share_per_user(0.75);
  config.set_max_share_per_workspace(0.9);
  *config.mutable_max_queue_time() = ProtoSeconds(0);
  Make(config);
  int inside = 0;
  const std::function<absl::StatusOr<ToolResult>()> go_on = [&]() -> absl::StatusOr<ToolResult> {
    const auto call = CallOf(0);
    return layer_->Run(*call, [&](ToolCall&) -> absl::StatusOr<ToolResult> {
      ++inside;
      if (const absl::StatusOr<ToolResult> next = go_on(); !next.ok()) {
        const std::optional<ToolError> error = GetToolError(next.status());
        EXPECT_EQ(error->code, ErrorCode::kOverloaded);
        EXPECT_THAT(error->message, HasSubstr("calls of this user"));
        const auto other = CallOf(0);
        other->caller.user_id = "another";
        EXPECT_TRUE(Run(*other).ok());
        const auto elsewhere = CallOf(0);
        elsewhere->caller.workspace_id = "another";
        EXPECT_TRUE(Run(*elsewhere).ok());
      }
      return Success();
    });
  };
  EXPECT_TRUE(go_on().ok());
  EXPECT_EQ(inside, 4) << "three quarters of the six places of a module";
}

TEST_F(ExecutionTrackingTest, AModuleThatComesLaterHasABulkhead) {
  EXPECT_EQ(state_->of_module("later").places(), 6);
  EXPECT_EQ(&state_->of_module("later"), &state_->of_module("later"));
  EXPECT_EQ(state_->effects_of_provider("later").bound(), 2);
}

TEST_F(ExecutionTrackingTest, StepsRunInTheirAutomationsPlace) {
  config::v1::ExecutionTracking config = DefaultConfig();
  config.set_max_in_flight(1);
  config.set_max_queued(0);
  Make(config);
  const auto automation = CallOf(0, "r1");
  const auto result = layer_->Run(*automation, [&](ToolCall&) -> absl::StatusOr<ToolResult> {
    for (int i = 0; i < 20; ++i) {
      const auto step = CallOf(1, "r1");
      step->step_of = StepOf{.call_id = "c1"};
      EXPECT_TRUE(Run(*step).ok()) << i;
    }
    EXPECT_EQ(CodeOf(Run(*CallOf(1, "r1")).status()), ErrorCode::kOverloaded) << "no step";
    return Success();
  });
  EXPECT_TRUE(result.ok());
}

TEST_F(ExecutionTrackingTest, APreviewRunsInThePlacesOfItsTool) {
  const auto call = CallOf(1, "r1");
  const absl::Status status = layer_->RunPreview(*call, [&](const fibers::Cancellation& cancellation) {
    EXPECT_EQ(state_->ListLoads()[0].in_flight, 1);
    EXPECT_EQ(state_->ListLoads()[2].in_flight, 1);
    EXPECT_EQ(cancellation.deadline(), clock_.Monotonic() + absl::Seconds(5)) << "the tool's time-out";
    EXPECT_FALSE(cancellation.DeadlineIsCallers());
    EXPECT_NE(call->state.place, nullptr);
    call->state.place->StepAside();
    EXPECT_EQ(state_->ListLoads()[0].in_flight, 0) << "while it waits";
    call->state.place->StepBack();
    EXPECT_TRUE(cancellation.Check().ok());
    call->cancellation.Cancel();
    return cancellation.Check();
  });
  EXPECT_EQ(CodeOf(status), ErrorCode::kCancelled);
  EXPECT_EQ(call->state.place, nullptr);
  EXPECT_EQ(state_->ListLoads()[0].in_flight, 0);
  EXPECT_EQ(call->cancellation.deadline(), absl::InfiniteDuration()) << "the call's own time begins later";
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Run(*CallOf(0, "r1")).ok()) << "a preview is no call of the request";
}

TEST_F(ExecutionTrackingTest, APreviewThatFindsNoPlaceIsRefused) {
  config::v1::ExecutionTracking config = DefaultConfig();
  config.set_max_in_flight(1);
  config.set_max_queued(0);
  Make(config);
  const auto outer = CallOf(0);
  const absl::Status status = layer_->RunPreview(*outer, [&](const fibers::Cancellation&) {
    const auto nothing = [](const fibers::Cancellation&) -> absl::Status { return absl::InternalError("it ran"); };
    EXPECT_EQ(CodeOf(layer_->RunPreview(*CallOf(1), nothing)), ErrorCode::kOverloaded);
    const auto step = CallOf(1);
    step->step_of = StepOf{.call_id = "c1"};
    EXPECT_TRUE(layer_->RunPreview(*step, [](const fibers::Cancellation&) { return absl::OkStatus(); }).ok())
        << "a step has the place of its automation";
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ExecutionTrackingTest, ANewConfigurationFindsWhatARequestHasUsed) {
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(Run(*CallOf(0, "r1")).ok());
  config::v1::ExecutionTracking config = DefaultConfig();
  Reload(config);
  EXPECT_TRUE(Run(*CallOf(0, "r1")).ok());
  EXPECT_EQ(CodeOf(Run(*CallOf(0, "r1")).status()), ErrorCode::kQuotaExceeded);
  config.set_max_calls_per_request(11);
  Reload(config);
  EXPECT_TRUE(Run(*CallOf(0, "r1")).ok()) << "its bounds are those of the configuration in force";
}

TEST_F(ExecutionTrackingTest, ANewConfigurationFindsTheCallsInFlight) {
  const std::unique_ptr<Layer4> before = std::move(layer_);
  Reload(DefaultConfig());
  const auto call = CallOf(0);
  const auto result = before->Run(*call, [&](ToolCall&) -> absl::StatusOr<ToolResult> {
    EXPECT_TRUE(Run(*CallOf(0)).ok());
    EXPECT_EQ(state_->ListLoads()[0].in_flight, 1);
    return Success();
  });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(state_->ListLoads()[0].in_flight, 0);
}

struct BadConfigRow {
  const char* name;
  void (*change)(config::v1::ExecutionTracking&, std::vector<Tool>&);
  const char* says;
};

class BadConfigTest : public ExecutionTrackingTest, public ::testing::WithParamInterface<BadConfigRow> {};

TEST_P(BadConfigTest, IsRefusedWithAClearMessage) {
  config::v1::ExecutionTracking config = DefaultConfig();
  GetParam().change(config, tools_);
  const auto layer = Layer4::Create(tools_, config, clock_, *state_);
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(layer.status().message()), HasSubstr(GetParam().says));
}

using Config = config::v1::ExecutionTracking;
using Tools = std::vector<Tool>;
INSTANTIATE_TEST_SUITE_P(
    Rows, BadConfigTest,
    ::testing::Values(
        BadConfigRow{"NoCalls", [](Config& c, Tools&) { c.set_max_calls_per_request(0); }, "max_calls_per_request"},
        BadConfigRow{"NoTimeout", [](Config& c, Tools&) { c.clear_tool_timeout(); }, "tool_timeout"},
        BadConfigRow{"NoTime", [](Config& c, Tools&) { c.clear_max_execution_time_per_request(); },
                     "max_execution_time"},
        BadConfigRow{"NoMemory", [](Config& c, Tools&) { c.clear_request_memory(); }, "request_memory"},
        BadConfigRow{"NoRequests", [](Config& c, Tools&) { c.set_max_tracked_requests(-1); }, "max_tracked_requests"},
        BadConfigRow{"NoPlaces", [](Config& c, Tools&) { c.set_max_in_flight(0); }, "max_in_flight"},
        BadConfigRow{"NoShare", [](Config& c, Tools&) { c.set_max_share_per_user(0); }, "max_share_per_user"},
        BadConfigRow{"MoreThanAShare", [](Config& c, Tools&) { c.set_max_share_per_workspace(1.5); },
                     "max_share_per_workspace"},
        BadConfigRow{"NegativeQueue", [](Config& c, Tools&) { c.set_max_queued(-1); }, "max_queued"},
        BadConfigRow{"NegativeQueueTime", [](Config& c, Tools&) { *c.mutable_max_queue_time() = ProtoSeconds(-1); },
                     "max_queue_time"},
        BadConfigRow{"TinyResults", [](Config& c, Tools&) { c.set_max_result_bytes(1023); }, "max_result_bytes"},
        BadConfigRow{"ModuleWithoutPlaces",
                     [](Config& c, Tools&) { (*c.mutable_max_in_flight_by_module())["search"] = 0; },
                     "max_in_flight_by_module.search"},
        BadConfigRow{"ModuleWithMoreThanAll",
                     [](Config& c, Tools&) { (*c.mutable_max_in_flight_by_module())["search"] = 9; },
                     "is 9; must be from 1 to execution_tracking.max_in_flight, 8"},
        BadConfigRow{"UnknownModule", [](Config& c, Tools&) { (*c.mutable_max_in_flight_by_module())["nope"] = 1; },
                     "no tool is of a module \"nope\""},
        BadConfigRow{"ToolWithoutTimeout",
                     [](Config&, Tools& tools) { tools[1].definition.timeout = absl::ZeroDuration(); }, "tool quick"}),
    [](const auto& row) { return row.param.name; });

// Tools 3 and 4 are effects of provider "maps"; tool 5 is one without a provider.
class EffectTrackingTest : public ExecutionTrackingTest {
 protected:
  EffectTrackingTest() {
    for (size_t i = 3; i < 6; ++i) {
      tools_.push_back(MakeTool("effect_" + std::to_string(i), i));
      tools_.back().handlers.run = executors::EffectHandler();
      if (i < 5) tools_.back().definition.provider = "maps";
    }
    Make(DefaultConfig());
  }
  // Runs effects of `tools`, each inside the one before, and answers how the innermost was answered.
  absl::StatusOr<ToolResult> RunWithin(std::vector<size_t> tools) {
    const auto call = CallOf(tools.front());
    tools.erase(tools.begin());
    return layer_->Run(*call, [&](ToolCall&) { return tools.empty() ? Success() : RunWithin(tools); });
  }
};

TEST_F(EffectTrackingTest, BoundsTheEffectsOfAProvider) {
  EXPECT_TRUE(RunWithin({3, 4}).ok());
  const absl::Status refused = RunWithin({3, 4, 3}).status();
  EXPECT_EQ(CodeOf(refused), ErrorCode::kOverloaded);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("maps"));
  EXPECT_TRUE(GetToolError(refused)->retry_after.has_value());
  EXPECT_TRUE(RunWithin({3, 4, 5}).ok()) << "no other tool notices";
  EXPECT_TRUE(RunWithin({3, 4, 0}).ok());
  EXPECT_EQ(state_->ListEffects()[1].under_way, 0);
}

TEST_F(EffectTrackingTest, BoundsAllEffectsTogether) {
  EXPECT_TRUE(RunWithin({5, 5, 5, 5, 5, 5}).ok());
  EXPECT_EQ(CodeOf(RunWithin({5, 5, 5, 5, 5, 5, 5}).status()), ErrorCode::kOverloaded);
  EXPECT_EQ(state_->ListEffects()[0].under_way, 0);
}

TEST_F(EffectTrackingTest, OneUserTakesNotAllEffects) {
  config::v1::ExecutionTracking config = DefaultConfig();
  config.set_max_share_per_user(0.75);
  Make(config);
  const auto first = CallOf(3);
  const auto result = layer_->Run(*first, [&](ToolCall&) -> absl::StatusOr<ToolResult> {
    EXPECT_EQ(CodeOf(RunWithin({4}).status()), ErrorCode::kOverloaded) << "the second place is another's";
    const auto other = CallOf(4);
    other->caller.user_id = "another";
    EXPECT_TRUE(Run(*other).ok());
    return Success();
  });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(state_->effects().taken(), 0);
}

TEST_F(EffectTrackingTest, ABoundOfItsOwnHoldsForAProvider) {
  config::v1::ExecutionTracking config = DefaultConfig();
  (*config.mutable_max_effects_by_provider())["maps"] = 1;
  Make(config);
  EXPECT_EQ(CodeOf(RunWithin({3, 3}).status()), ErrorCode::kOverloaded);
  (*config.mutable_max_effects_by_provider())["maps"] = 7;
  EXPECT_THAT(std::string(ExecutionState::Create(tools_, config, clock_).status().message()), HasSubstr("from 1 to"));
  (*config.mutable_max_effects_by_provider())["maps"] = 1;
  (*config.mutable_max_effects_by_provider())["mops"] = 1;
  EXPECT_THAT(std::string(ExecutionState::Create(tools_, config, clock_).status().message()), HasSubstr("maps"));
}

TEST_F(EffectTrackingTest, ACallThatWaitsLeavesItsPlace) {
  const auto call = CallOf(5);
  const absl::StatusOr<ToolResult> result = layer_->Run(*call, [&](ToolCall& running) {
    EXPECT_EQ(state_->all().in_flight(), 1);
    running.state.place->StepAside();
    EXPECT_EQ(state_->all().in_flight(), 0);
    EXPECT_EQ(state_->of_module("workspace").in_flight(), 0);
    running.state.place->StepBack();
    EXPECT_EQ(state_->all().in_flight(), 1);
    return Success();
  });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(call->state.place, nullptr);
  EXPECT_EQ(state_->all().in_flight(), 0);
}

}  // namespace
}  // namespace toolgate::security::execution_tracking
