#include "services/execution/outside_text.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/services/execution/runner_fixture.h"

namespace toolgate::services::execution {
namespace {

using security::Finding;
using security::ToolCall;
using security::ToolResult;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

class OutsideTextTest : public RunnerFixture {
 protected:
  std::unique_ptr<ToolCall> FetchCall() const { return CallOf(tool_); }
  static ToolResult Fetched(const std::string& text) {
    ToolResult result = testing::Success(DumpJson(Json(text)));
    result.untrusted = true;
    return result;
  }
  int StoreAccesses() const { return unreliable_.reads + unreliable_.commits + unreliable_.dry_runs; }

  const executors::Tool tool_ = testing::MakeTool("fetch", 0);
};

TEST_F(OutsideTextTest, ScansDelimitsAndMarks) {
  const auto call = FetchCall();
  call->state.findings.emplace_back().rule_id = "earlier";
  ToolResult result = Fetched(kAttack);
  ASSERT_TRUE(outside_text_.Receive(*call, result).ok());
  ASSERT_GT(call->state.findings.size(), 1U);
  EXPECT_EQ(call->state.findings[0].rule_id, "earlier") << "findings in the arguments stay";
  call->state.findings.erase(call->state.findings.begin());
  EXPECT_THAT(call->state.findings, Each(Field(&Finding::path, "result")));
  EXPECT_EQ(result.boundary.size(), 32U);
  EXPECT_EQ(result.data_json, DumpJson(Json(kAttack))) << "the data itself stays as it is";
  EXPECT_TRUE(call->state.conversation_untrusted);
  EXPECT_TRUE(IsMarked());
  EXPECT_FALSE(IsMarked("another talk"));
}

TEST_F(OutsideTextTest, EachResultHasABoundaryOfItsOwn) {
  ToolResult first = Fetched("one");
  ToolResult second = Fetched("one");
  ASSERT_TRUE(outside_text_.Receive(*FetchCall(), first).ok());
  ASSERT_TRUE(outside_text_.Receive(*FetchCall(), second).ok());
  EXPECT_NE(first.boundary, second.boundary);
}

TEST_F(OutsideTextTest, HarmlessTextIsFromOutsideToo) {
  const auto call = FetchCall();
  ToolResult result = Fetched("Sunny, 21 degrees.");
  ASSERT_TRUE(outside_text_.Receive(*call, result).ok());
  EXPECT_THAT(call->state.findings, IsEmpty());
  EXPECT_EQ(result.boundary.size(), 32U);
  EXPECT_TRUE(IsMarked());
}

TEST_F(OutsideTextTest, FindNamesThePlaceAndNeedsNoStore) {
  const std::string text = std::string("Some lines first.\n") + kAttack;
  const std::vector<Finding> findings = outside_text_.Find(text, "output/stdout");
  ASSERT_THAT(findings, Not(IsEmpty()));
  EXPECT_THAT(findings, Each(Field(&Finding::path, "output/stdout")));
  EXPECT_THAT(findings, Contains(AllOf(Field(&Finding::rule_id, "exfil.reveal-prompt"),
                                       Field(&Finding::offset, text.find("reveal")))));
  EXPECT_THAT(outside_text_.Find("Sunny, 21 degrees.", "output/stdout"), IsEmpty());
  EXPECT_EQ(StoreAccesses(), 0);
}

TEST_F(OutsideTextTest, AMarkIsCommittedOnce) {
  const auto call = FetchCall();
  ASSERT_TRUE(outside_text_.MarkConversation(*call).ok());
  EXPECT_EQ(unreliable_.commits, 1);
  EXPECT_TRUE(IsMarked()) << "it is durable by now";
  const int accesses = StoreAccesses();
  ASSERT_TRUE(outside_text_.MarkConversation(*call).ok());
  EXPECT_EQ(StoreAccesses(), accesses) << "the call knows";
  const auto later = FetchCall();
  ASSERT_TRUE(outside_text_.MarkConversation(*later).ok());
  EXPECT_TRUE(later->state.conversation_untrusted);
  EXPECT_EQ(unreliable_.commits, 1) << "the store knows";
}

TEST_F(OutsideTextTest, AMarkSurvivesAStoreThatRetries) {
  unreliable_.retries = 2;
  const auto call = FetchCall();
  ASSERT_TRUE(outside_text_.MarkConversation(*call).ok());
  EXPECT_TRUE(call->state.conversation_untrusted);
  EXPECT_TRUE(IsMarked());
}

TEST_F(OutsideTextTest, ACallOutsideOfAllConversationsMarksNone) {
  const auto call = FetchCall();
  call->caller.conversation_id.clear();
  call->request_id.clear();
  ToolResult result = Fetched(kAttack);
  ASSERT_TRUE(outside_text_.Receive(*call, result).ok());
  EXPECT_THAT(call->state.findings, Not(IsEmpty()));
  EXPECT_FALSE(call->state.conversation_untrusted);
  EXPECT_EQ(StoreAccesses(), 0);
}

TEST_F(OutsideTextTest, AMarkThatFailsFailsTheIntake) {
  const auto call = FetchCall();
  ToolResult result = Fetched("one");
  unreliable_.refuse_commits = absl::UnavailableError("the disk is full");
  EXPECT_EQ(outside_text_.Receive(*call, result).code(), absl::StatusCode::kUnavailable);
  unreliable_.refuse_commits = absl::OkStatus();
  unreliable_.fail_commits = absl::UnavailableError("the disk is full");
  EXPECT_EQ(outside_text_.Receive(*call, result).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(call->state.conversation_untrusted) << "nothing is durable";
  unreliable_.fail_commits = absl::OkStatus();
  unreliable_.refuse_reads = absl::UnavailableError("the disk is away");
  EXPECT_EQ(outside_text_.Receive(*call, result).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(call->state.conversation_untrusted);
  EXPECT_FALSE(IsMarked());
}

// The data has arrived already.
TEST_F(OutsideTextTest, ACallThatIsOverMarksAllTheSame) {
  const auto left = FetchCall();
  left->cancellation.Cancel();
  ToolResult result = Fetched("one");
  ASSERT_TRUE(outside_text_.Receive(*left, result).ok());
  EXPECT_TRUE(IsMarked());
  const auto late = FetchCall();
  late->caller.conversation_id = "another talk";
  late->cancellation.Reset(clock_, clock_.Monotonic());
  ASSERT_TRUE(outside_text_.MarkConversation(*late).ok());
  EXPECT_TRUE(IsMarked("another talk"));
}

}  // namespace
}  // namespace toolgate::services::execution
