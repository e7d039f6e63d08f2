#include "security/execution_tracking/request_tracker.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::execution_tracking {
namespace {

using testing::CodeOf;
using testing::FactOf;
using testing::FakeClock;
using testing::MakeCall;
using testing::MakeTool;
using Ticket = RequestTracker::Ticket;

class RequestTrackerTest : public ::testing::Test {
 protected:
  void Make(int64_t max_tracked_requests) { tracker_ = std::make_unique<RequestTracker>(max_tracked_requests, clock_); }
  std::unique_ptr<ToolCall> CallOf(std::string_view request_id, Budget budget = {}) {
    auto call = MakeCall(tool_);
    call->request_id = request_id;
    call->budget = budget;
    return call;
  }
  absl::StatusOr<Ticket> Admit(const ToolCall& call, CallNeeds needs = {}) {
    return tracker_->Admit(settings_, call, needs, clock_.Monotonic());
  }
  // One call that runs for `duration`.
  absl::Status RunFor(const ToolCall& call, absl::Duration duration = absl::ZeroDuration(), CallNeeds needs = {},
                      int64_t tokens_used = 0) {
    absl::StatusOr<Ticket> ticket = Admit(call, needs);
    if (!ticket.ok()) return ticket.status();
    const auto remaining = ticket->Start(clock_.Monotonic());
    if (!remaining.ok()) return remaining.status();
    clock_.Advance(duration);
    ticket->Finish(clock_.Monotonic(), tokens_used);
    return absl::OkStatus();
  }

  FakeClock clock_;
  const executors::Tool tool_ = MakeTool("get_block", 0);
  RequestSettings settings_{.max_calls = 10, .max_execution_time = absl::Seconds(30), .memory = absl::Minutes(10)};
  std::unique_ptr<RequestTracker> tracker_ = std::make_unique<RequestTracker>(100, clock_);
};

TEST_F(RequestTrackerTest, RefusesTheEleventhCallOfARequest) {
  const auto call = CallOf("r1");
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(RunFor(*call).ok()) << i;
  const std::optional<ToolError> error = GetToolError(RunFor(*call));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_FALSE(error->retryable);
  EXPECT_FALSE(error->retry_after.has_value());
  EXPECT_EQ(FactOf(*error, "budget"), "calls");
  EXPECT_EQ(FactOf(*error, "limit"), "10");
  EXPECT_EQ(FactOf(*error, "used"), "10");
  EXPECT_TRUE(RunFor(*CallOf("r2")).ok());
}

TEST_F(RequestTrackerTest, RequestsOfOthersWithTheSameIdAreOthers) {
  const auto call = CallOf("r1");
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(RunFor(*call).ok());
  const auto other_user = CallOf("r1");
  other_user->caller.user_id = "bob";
  EXPECT_TRUE(RunFor(*other_user).ok());
  const auto other_workspace = CallOf("r1");
  other_workspace->caller.workspace_id = "w2";
  EXPECT_TRUE(RunFor(*other_workspace).ok());
}

TEST_F(RequestTrackerTest, ACallWithoutRequestIdIsARequestOfItsOwn) {
  const auto call = CallOf("", {.max_calls = 1});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(RunFor(*call, absl::Seconds(20)).ok());
  EXPECT_EQ(tracker_->tracked_requests(), 0);
  EXPECT_EQ(*Admit(*call)->Start(clock_.Monotonic()), absl::Seconds(30));
  const auto hasty = CallOf("", {.max_execution_time = absl::Seconds(2)});
  EXPECT_EQ(*Admit(*hasty)->Start(clock_.Monotonic()), absl::Seconds(2));
}

TEST_F(RequestTrackerTest, ABudgetOnlyTightensAndTheTightestHolds) {
  EXPECT_TRUE(RunFor(*CallOf("r1", {.max_calls = 3})).ok());
  EXPECT_TRUE(RunFor(*CallOf("r1", {.max_calls = 100})).ok());
  EXPECT_TRUE(RunFor(*CallOf("r1")).ok());
  EXPECT_EQ(FactOf(*GetToolError(RunFor(*CallOf("r1"))), "limit"), "3");
  const auto generous = CallOf("r2", {.max_calls = 100, .max_execution_time = absl::Hours(1)});
  EXPECT_EQ(*Admit(*generous)->Start(clock_.Monotonic()), absl::Seconds(30));
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(RunFor(*generous).ok());
  EXPECT_EQ(CodeOf(RunFor(*generous)), ErrorCode::kQuotaExceeded);
}

TEST_F(RequestTrackerTest, ExecutionTimeAddsUp) {
  const auto call = CallOf("r1");
  EXPECT_TRUE(RunFor(*call, absl::Seconds(12)).ok());
  clock_.Advance(absl::Seconds(60));  // Between calls no time is used.
  EXPECT_TRUE(RunFor(*call, absl::Seconds(10)).ok());
  {
    auto ticket = Admit(*call);
    EXPECT_EQ(*ticket->Start(clock_.Monotonic()), absl::Seconds(8));
    clock_.Advance(absl::Seconds(8));
  }  // Ends without Finish: its time counts nevertheless.
  const std::optional<ToolError> error = GetToolError(RunFor(*call));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_EQ(FactOf(*error, "budget"), "execution time");
  EXPECT_EQ(FactOf(*error, "limit"), "30s");
  EXPECT_EQ(FactOf(*error, "used"), "30s");
}

TEST_F(RequestTrackerTest, CallsSideBySideShareTheTimeAndEndTogether) {
  const auto call = CallOf("r1");
  auto first = Admit(*call);
  EXPECT_EQ(*first->Start(clock_.Monotonic()), absl::Seconds(30));
  clock_.Advance(absl::Seconds(10));
  auto second = Admit(*call);
  EXPECT_EQ(*second->Start(clock_.Monotonic()), absl::Seconds(20));
  clock_.Advance(absl::Seconds(5));
  first->Finish(clock_.Monotonic(), 0);
  second->Finish(clock_.Monotonic(), 0);
  EXPECT_EQ(*Admit(*call)->Start(clock_.Monotonic()), absl::Seconds(15));
}

TEST_F(RequestTrackerTest, TimeThatRunsOutInTheQueueRefusesAtTheStart) {
  const auto call = CallOf("r1");
  auto running = Admit(*call);
  EXPECT_TRUE(running->Start(clock_.Monotonic()).ok());
  auto queued = Admit(*call);
  EXPECT_TRUE(queued.ok());
  clock_.Advance(absl::Seconds(30));
  EXPECT_EQ(CodeOf(queued->Start(clock_.Monotonic()).status()), ErrorCode::kQuotaExceeded);
}

TEST_F(RequestTrackerTest, ToolsOutsideAreBoundOnlyByTheRequestsOwnBudget) {
  const CallNeeds outside{.runs_inside = false};
  EXPECT_TRUE(RunFor(*CallOf("r1"), absl::Minutes(5), outside).ok());
  EXPECT_EQ(*Admit(*CallOf("r1"))->Start(clock_.Monotonic()), absl::Seconds(30)) << "and use up no time inside";
  const auto stated = CallOf("r2", {.max_execution_time = absl::Seconds(20)});
  EXPECT_TRUE(RunFor(*stated, absl::Seconds(15), outside).ok());
  EXPECT_EQ(*Admit(*stated, outside)->Start(clock_.Monotonic()), absl::Seconds(5));
  EXPECT_EQ(*Admit(*stated)->Start(clock_.Monotonic()), absl::Seconds(5));
}

TEST_F(RequestTrackerTest, ACallThatNeverStartedIsNotCounted) {
  const auto call = CallOf("r1");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Admit(*call).ok());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(RunFor(*call).ok());
  EXPECT_FALSE(Admit(*call).ok());
}

TEST_F(RequestTrackerTest, StepsOfAnAutomationCountNoCallsAndNoTimeTwice) {
  auto automation = Admit(*CallOf("r1"));
  EXPECT_TRUE(automation->Start(clock_.Monotonic()).ok());
  const auto step = CallOf("r1");
  step->step_of = StepOf{.call_id = "c1"};
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(RunFor(*step, absl::Seconds(1)).ok()) << i;
  automation->Finish(clock_.Monotonic(), 0);
  EXPECT_EQ(*Admit(*CallOf("r1"))->Start(clock_.Monotonic()), absl::Seconds(10));
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(RunFor(*CallOf("r1")).ok()) << i;
  EXPECT_FALSE(Admit(*CallOf("r1")).ok());
}

TEST_F(RequestTrackerTest, ReservesTokensBeforeAndSettlesAfter) {
  const auto call = CallOf("r1", {.max_tokens = 1000});
  const CallNeeds needs{.runs_inside = false, .tokens = 600};
  auto first = Admit(*call, needs);
  ASSERT_TRUE(first.ok());
  const std::optional<ToolError> error = GetToolError(Admit(*call, needs).status());
  ASSERT_TRUE(error.has_value()) << "600 are reserved, 600 more do not fit";
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_EQ(FactOf(*error, "budget"), "tokens");
  EXPECT_EQ(FactOf(*error, "limit"), "1000");
  EXPECT_EQ(FactOf(*error, "used"), "600");
  EXPECT_TRUE(first->Start(clock_.Monotonic()).ok());
  first->Finish(clock_.Monotonic(), 250);
  EXPECT_TRUE(RunFor(*call, absl::ZeroDuration(), needs, 700).ok()) << "750 were left";
  EXPECT_EQ(CodeOf(RunFor(*call, absl::ZeroDuration(), {.tokens = 51})), ErrorCode::kQuotaExceeded);
  EXPECT_TRUE(RunFor(*call, absl::ZeroDuration(), {.tokens = 50}).ok());
  EXPECT_TRUE(RunFor(*call).ok()) << "a call that needs none is not refused";
}

TEST_F(RequestTrackerTest, AReservationThatIsDroppedIsFreeAgain) {
  const auto call = CallOf("r1", {.max_tokens = 10});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Admit(*call, {.tokens = 10}).ok());
  EXPECT_EQ(CodeOf(Admit(*CallOf("", {.max_tokens = 10}), {.tokens = 11}).status()), ErrorCode::kQuotaExceeded);
}

struct BadBudgetRow {
  const char* name;
  Budget budget;
  const char* field;
};

class BadBudgetTest : public RequestTrackerTest, public ::testing::WithParamInterface<BadBudgetRow> {};

TEST_P(BadBudgetTest, IsRefused) {
  for (const char* request_id : {"", "r1"}) {
    const std::optional<ToolError> error = GetToolError(Admit(*CallOf(request_id, GetParam().budget)).status());
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
    EXPECT_EQ(FactOf(*error, "budget"), GetParam().field);
  }
  EXPECT_EQ(tracker_->tracked_requests(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadBudgetTest,
    ::testing::Values(BadBudgetRow{"NegativeCalls", {.max_calls = -1}, "max_calls"},
                      BadBudgetRow{"AbsurdCalls", {.max_calls = 1'000'001}, "max_calls"},
                      BadBudgetRow{"NegativeTime", {.max_execution_time = -absl::Seconds(1)}, "max_execution_time"},
                      BadBudgetRow{
                          "EndlessTime", {.max_execution_time = absl::InfiniteDuration()}, "max_execution_time"},
                      BadBudgetRow{"NegativeTokens", {.max_tokens = -5}, "max_tokens"},
                      BadBudgetRow{"AbsurdTokens", {.max_tokens = int64_t{1} << 60}, "max_tokens"}),
    [](const auto& row) { return row.param.name; });

TEST_F(RequestTrackerTest, ForgetsARequestAfterItsMemory) {
  const auto call = CallOf("r1");
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(RunFor(*call).ok());
  clock_.Advance(absl::Minutes(10) - absl::Nanoseconds(1));
  EXPECT_FALSE(RunFor(*call).ok());
  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_TRUE(RunFor(*call).ok());
}

TEST_F(RequestTrackerTest, DropsWhatIsPastItsMemoryAsNewRequestsCome) {
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(RunFor(*CallOf(absl::StrCat("old", i))).ok());
  clock_.Advance(absl::Minutes(10));
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(RunFor(*CallOf(absl::StrCat("new", i))).ok());
  EXPECT_EQ(tracker_->tracked_requests(), 50);
}

TEST_F(RequestTrackerTest, WhenFullTheOldestIdleIsForgotten) {
  Make(3);
  for (const char* id : {"r1", "r2", "r3"}) EXPECT_TRUE(RunFor(*CallOf(id, {.max_calls = 2})).ok());
  EXPECT_TRUE(RunFor(*CallOf("r1")).ok());  // Now r2 is the oldest.
  EXPECT_TRUE(RunFor(*CallOf("r4")).ok());
  EXPECT_EQ(tracker_->tracked_requests(), 3);
  EXPECT_FALSE(RunFor(*CallOf("r1")).ok()) << "remembered";
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(RunFor(*CallOf("r2", {.max_calls = 2})).ok()) << "forgotten, hence new";
}

TEST_F(RequestTrackerTest, WhenFullOfLiveOnesItRefuses) {
  Make(2);
  auto first = Admit(*CallOf("r1"));
  auto second = Admit(*CallOf("r2"));
  const std::optional<ToolError> error = GetToolError(Admit(*CallOf("r3")).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kOverloaded);
  EXPECT_TRUE(error->retry_after.has_value());
  EXPECT_TRUE(Admit(*CallOf("r1")).ok());
  EXPECT_TRUE(Admit(*CallOf("")).ok());
  EXPECT_TRUE(first->Start(clock_.Monotonic()).ok());
  first->Finish(clock_.Monotonic(), 0);
  EXPECT_TRUE(Admit(*CallOf("r3")).ok());
}

TEST_F(RequestTrackerTest, ManyRequestsStayWithinTheBound) {
  Make(4096);
  for (int i = 0; i < 20'000; ++i) EXPECT_TRUE(RunFor(*CallOf(absl::StrCat("r", i))).ok());
  EXPECT_LE(tracker_->tracked_requests(), 4096);
  EXPECT_GT(tracker_->tracked_requests(), 3500);
}

TEST_F(RequestTrackerTest, SixtyFourThreadsAdmitExactlyTheCallsOfTheBudget) {
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&] {
      const auto call = CallOf("r1");
      for (int i = 0; i < 50; ++i) admitted += RunFor(*call).ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted.load(), 10);
}

}  // namespace
}  // namespace toolgate::security::execution_tracking
