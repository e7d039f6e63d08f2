// Attribution of failures when a call runs out of time: through layers 3 and 4 and the execute step, by a clock that
// stands still.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::services {
namespace {

using coordination::breakers::BreakerSnapshot;
using coordination::breakers::BreakerStateName;
using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolDefinition;
using executors::ToolHandlers;
using executors::ToolOutput;
using executors::WriteHandler;
using ::testing::IsEmpty;
using testing::TestCore;

constexpr int kMany = 30;  // More than enough to open a breaker.
constexpr absl::Duration kOwnBound = absl::Seconds(10);

ToolDefinition Definition(std::string_view id, std::string_view provider) {
  ToolDefinition definition = testing::MakeTool(id, 0).definition;
  definition.display_name = id;
  definition.provider = provider;
  definition.timeout = kOwnBound;
  definition.annotations.read_only = true;
  return definition;
}

class BreakerBlameTest : public ::testing::Test {
 protected:
  BreakerBlameTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    const ReadHandler run = [this](ToolContext&, storage::ReadView&) { return Answer(); };
    const auto run_step = [this](ToolContext& context, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
      clock_.Advance(before_step_);
      const auto step = context.steps->RunStep({step_tool_, Json::object()}, tx);
      if (!step.ok()) return step.status();
      return ToolOutput{.data_json = "{}"};
    };
    ToolDefinition automation = Definition("automation", "");
    automation.annotations.read_only = false;
    core_ = std::make_unique<TestCore>(
        *store_, clock_, config::Load({}).value(),
        executors::Catalog::Create(
            {Definition("local", ""), Definition("web", "search"), automation},
            {ToolHandlers{"local", run}, ToolHandlers{"web", run}, ToolHandlers{"automation", WriteHandler(run_step)}})
            .value());
  }

  absl::StatusOr<ToolOutput> Answer() {
    clock_.Advance(runs_for_);
    if (leaving_ != nullptr) leaving_->cancellation.Cancel();
    return failure_;
  }
  // Many calls that end in the same way.
  void RunMany(std::string_view tool, absl::Duration callers_deadline, absl::Duration budget) {
    for (int i = 0; i < kMany; ++i) {
      const auto call = core_->Call(tool);
      call->cancellation.Reset(clock_, clock_.Monotonic() + callers_deadline);
      call->budget.max_execution_time = budget;
      core_->Run(*call).IgnoreError();
    }
  }
  // "tool:web open" and so on: the breakers for which a call counted.
  std::vector<std::string> Counted() const {
    std::vector<std::string> lines;
    for (const BreakerSnapshot& breaker : core_->core().rate_limit().ListBreakers()) {
      lines.push_back(breaker.name + " " + std::string(BreakerStateName(breaker.state)));
    }
    return lines;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<TestCore> core_;
  security::ToolCall* leaving_ = nullptr;  // The call whose client leaves while the tool runs.
  absl::Duration before_step_ = absl::ZeroDuration();
  std::string step_tool_ = "local";  // Of the automation.
  absl::Duration runs_for_ = absl::ZeroDuration();
  absl::Status failure_ = MakeError(ErrorCode::kTimeout, "the statement was stopped");
};

struct Row {
  const char* name;
  absl::Status failure;
  absl::Duration callers_deadline = absl::InfiniteDuration();
  absl::Duration budget = absl::ZeroDuration();
  absl::Duration runs_for = absl::ZeroDuration();
  std::vector<std::string> of_local = {};  // The breakers that counted, after many calls.
  std::vector<std::string> of_web = {};
};

const std::vector<std::string> kLocalOpen = {"tool:local open"};
const std::vector<std::string> kWebOpen = {"provider:search open", "tool:web open"};
constexpr absl::Duration kShort = absl::Milliseconds(50);
constexpr absl::Duration kNever = absl::InfiniteDuration();
constexpr absl::Duration kNone = absl::ZeroDuration();

std::vector<Row> Rows() {
  const absl::Status by_tool = MakeError(ErrorCode::kTimeout, "the statement was stopped");
  const absl::Status by_library = absl::DeadlineExceededError("deadline of a library");
  const absl::Status interrupted = absl::InternalError("interrupted");
  return {
      {"ShortDeadline_ToolFirst", by_tool, kShort},
      {"ShortDeadline_ClockFirst", by_tool, kShort, kNone, kShort},
      {"ShortDeadline_LibraryFirst", by_library, kShort},
      {"ShortDeadline_InterruptedByTheClock", interrupted, kShort, kNone, kShort},
      {"ShortBudget_ToolFirst", by_tool, kNever, kShort},
      {"ShortBudget_ClockFirst", by_tool, kNever, kShort, kShort},
      {"ShortBudget_InterruptedByTheClock", interrupted, kNever, kShort, kShort},
      {"OwnBound_ToolFirst", by_tool, kNever, kNone, kNone, {}, kWebOpen},
      {"OwnBound_ClockFirst", by_tool, kNever, kNone, kOwnBound, {}, kWebOpen},
      {"OwnBound_Library", by_library, kNever, kNone, kOwnBound, {}, kWebOpen},
      {"BugUnderAShortDeadline", interrupted, kShort, kNone, kNone, kLocalOpen, kWebOpen},
      {"Bug", interrupted, kNever, kNone, kNone, kLocalOpen, kWebOpen},
  };
}

class TimeOutBlameTest : public BreakerBlameTest, public ::testing::WithParamInterface<Row> {
 protected:
  void RunMany(std::string_view tool) {
    failure_ = GetParam().failure;
    runs_for_ = GetParam().runs_for;
    BreakerBlameTest::RunMany(tool, GetParam().callers_deadline, GetParam().budget);
  }
};

TEST_P(TimeOutBlameTest, OfAToolThatDependsOnNothingOutside) {
  RunMany("local");
  EXPECT_EQ(Counted(), GetParam().of_local);
}

TEST_P(TimeOutBlameTest, OfAToolOfAProvider) {
  RunMany("web");
  EXPECT_EQ(Counted(), GetParam().of_web);
}

INSTANTIATE_TEST_SUITE_P(Rows, TimeOutBlameTest, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_F(BreakerBlameTest, AClientThatLeavesOpensNothing) {
  for (int i = 0; i < kMany; ++i) {
    const auto call = core_->Call("web");
    leaving_ = call.get();
    core_->Run(*call).IgnoreError();
  }
  EXPECT_THAT(Counted(), IsEmpty());
}

TEST_F(BreakerBlameTest, AStepsFailureIsNotItsAutomations) {
  failure_ = absl::InternalError("a bug");
  RunMany("automation", kNever, kNone);
  EXPECT_EQ(Counted(), kLocalOpen);
}

TEST_F(BreakerBlameTest, AnAutomationThatLeavesAStepLittleTimeOpensNoProvider) {
  step_tool_ = "web";
  before_step_ = kOwnBound - kShort;
  runs_for_ = kShort;
  RunMany("automation", kNever, kNone);
  EXPECT_THAT(Counted(), IsEmpty());
  before_step_ = kNone;
  runs_for_ = kOwnBound;
  RunMany("automation", kNever, kNone);
  EXPECT_EQ(Counted(), kWebOpen) << "with all its time left";
}

}  // namespace
}  // namespace toolgate::services
