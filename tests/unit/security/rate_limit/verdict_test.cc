#include "security/rate_limit/verdict.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::rate_limit {
namespace {

using executors::Tool;
using testing::Failure;
using testing::FakeClock;
using testing::MakeCall;
using testing::MakeTool;
using testing::Success;

constexpr absl::Duration kOwnBound = absl::Seconds(20);

// The owner of the limit that ends the call, and which notices first: the tool, before the deadline has passed by the
// clock, or the clock.
struct Ending {
  const char* name = "";
  absl::Duration callers_deadline = absl::InfiniteDuration();
  bool deadline_passed = false;
  bool client_left = false;
  FailureCause cause = FailureCause::kTool;
};

using Codes = std::set<std::string>;
struct Row {
  Ending ending;
  Codes of_internal_tool;  // The codes that are failures of a tool without a provider. No other code is.
  Codes of_provider_tool;
};

constexpr const char* kError = "EXECUTION_ERROR";
constexpr const char* kTimeout = "TIMEOUT";

const Row kRows[] = {
    {{.name = "OwnBound_ToolFirst"}, {kError}, {kError, kTimeout}},
    {{.name = "OwnBound_ClockFirst", .deadline_passed = true}, {kError}, {kError, kTimeout}},
    {{.name = "OwnBound_ClientLeft", .client_left = true}, {}, {}},
    {{.name = "OwnBound_Interrupted", .cause = FailureCause::kInterrupted}, {}, {kError, kTimeout}},
    {{.name = "OwnBound_Step", .cause = FailureCause::kStep}, {}, {}},
    {{.name = "CallersLonger_ClockFirst", .callers_deadline = absl::Seconds(21), .deadline_passed = true},
     {kError},
     {kError, kTimeout}},
    {{.name = "CallersEqual_ClockFirst", .callers_deadline = kOwnBound, .deadline_passed = true},
     {kError},
     {kError, kTimeout}},
    {{.name = "CallersShorter_ToolFirst", .callers_deadline = absl::Milliseconds(50)}, {kError}, {kError}},
    {{.name = "CallersShorter_ClockFirst", .callers_deadline = absl::Milliseconds(50), .deadline_passed = true},
     {},
     {}},
    {{.name = "CallersShorter_ClientLeft", .callers_deadline = absl::Milliseconds(50), .client_left = true}, {}, {}},
    {{.name = "CallersShorter_Interrupted",
      .callers_deadline = absl::Milliseconds(50),
      .cause = FailureCause::kInterrupted},
     {},
     {}},
};

class VerdictTest : public ::testing::TestWithParam<Row> {
 protected:
  // State of a call after layer 4, if it ends as `ending` describes.
  std::unique_ptr<ToolCall> EndedCall(const Tool& tool, const Ending& ending) {
    auto call = MakeCall(tool);
    call->cancellation.Reset(clock_, clock_.Monotonic() + ending.callers_deadline);
    call->cancellation.TightenByService(clock_.Monotonic() + kOwnBound);
    if (ending.deadline_passed) clock_.Advance(std::min(ending.callers_deadline, kOwnBound));
    if (ending.client_left) call->cancellation.Cancel();
    return call;
  }
  // The error codes that are failures of the tool; none may count as a success.
  Codes Failing(const Tool& tool) {
    Codes failing;
    for (int i = 0; i <= static_cast<int>(ErrorCode::kCannotUndo); ++i) {
      const auto code = static_cast<ErrorCode>(i);
      ToolResult result = Failure(code);
      result.failure_cause = GetParam().ending.cause;
      const Verdict verdict = VerdictOn(*EndedCall(tool, GetParam().ending), result);
      EXPECT_NE(verdict, Verdict::kSuccess) << ErrorCodeName(code);
      if (verdict == Verdict::kFailure) failing.insert(std::string(ErrorCodeName(code)));
    }
    return failing;
  }

  FakeClock clock_;
};

TEST_P(VerdictTest, OnAToolThatDependsOnNothingOutside) {
  EXPECT_EQ(Failing(MakeTool("get_block", 0)), GetParam().of_internal_tool);
}

TEST_P(VerdictTest, OnAToolOfAProvider) {
  Tool tool = MakeTool("web_search", 0);
  tool.definition.provider = "search";
  EXPECT_EQ(Failing(tool), GetParam().of_provider_tool);
}

TEST_P(VerdictTest, OnASuccessIsASuccessHoweverLate) {
  const Tool tool = MakeTool("get_block", 0);
  EXPECT_EQ(VerdictOn(*EndedCall(tool, GetParam().ending), Success()), Verdict::kSuccess);
}

INSTANTIATE_TEST_SUITE_P(Endings, VerdictTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.ending.name); });

TEST(VerdictOnBlameTest, AMarkedFailureIsNeverTheToolsOrItsProviders) {
  FakeClock clock;
  Tool tool = MakeTool("generate_image", 0);
  tool.definition.provider = "images";
  for (int i = 0; i <= static_cast<int>(ErrorCode::kCannotUndo); ++i) {
    const auto call = MakeCall(tool);
    call->cancellation.TightenByService(clock.Monotonic() + kOwnBound);
    ToolResult result = Failure(static_cast<ErrorCode>(i));
    result.error->blame = Blame::kRequest;
    EXPECT_EQ(VerdictOn(*call, result), Verdict::kNone) << ErrorCodeName(static_cast<ErrorCode>(i));
  }
}

TEST(VerdictOnOpenWorldTest, GoesByTheProviderAlone) {
  // trigger_automation reaches outside only through its steps, which have their own breakers.
  FakeClock clock;
  Tool tool = MakeTool("trigger_automation", 0);
  tool.definition.annotations.open_world = true;
  const auto call = MakeCall(tool);
  call->cancellation.TightenByService(clock.Monotonic() + kOwnBound);
  EXPECT_EQ(VerdictOn(*call, Failure(ErrorCode::kTimeout)), Verdict::kNone);
  EXPECT_EQ(VerdictOn(*call, Failure(ErrorCode::kExecutionError)), Verdict::kFailure);
}

TEST(VerdictOnRefusalTest, IsNone) {
  const Tool tool = MakeTool("get_block", 0);
  const auto call = MakeCall(tool);
  ToolResult question;
  question.confirmation.emplace();
  ToolResult replay = Failure(ErrorCode::kExecutionError);
  replay.replayed = true;
  for (const absl::StatusOr<ToolResult>& outcome :
       {absl::StatusOr<ToolResult>(question), absl::StatusOr<ToolResult>(replay),
        absl::StatusOr<ToolResult>(MakeError(ErrorCode::kTimeout, "late")),
        absl::StatusOr<ToolResult>(absl::InternalError("disk"))}) {
    EXPECT_EQ(VerdictOn(*call, outcome), Verdict::kNone) << outcome.status();
  }
}

}  // namespace
}  // namespace toolgate::security::rate_limit
