#include "services/execution/recovery.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/support/effect_fixture.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::execution {
namespace {

using security::ToolResult;
using testing::TestCore;

// Leaves a handler like a process that is killed: nothing is settled. tests/integration/effect_crash_test.cc kills real
// ones.
struct Ended {};

class RecoveryTest : public testing::EffectFixture {
 protected:
  // Runs `call` until `place`, where the process ends.
  void EndAt(const std::string& place, security::ToolCall& call) {
    hooks_.at = [place](std::string_view at) {
      if (at == place) throw Ended();
    };
    EXPECT_FALSE(core_->Run(call).ok());
    hooks_.at = nullptr;
    core_ = NewCore();  // The next process.
  }
  std::vector<std::string> Resolve(absl::Status* why = nullptr) {
    std::vector<std::string> recoveries;
    const auto report = [&](const storage::OpenClaim&, std::string_view recovery, const absl::Status& status) {
      recoveries.emplace_back(recovery);
      if (why != nullptr) why->Update(status);
    };
    EXPECT_TRUE(core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, report).ok());
    return recoveries;
  }
};

TEST_F(RecoveryTest, WhatTookEffectIsFinished) {
  EndAt("renamed", *WriteCall("a", "one", "k"));
  EXPECT_EQ(Resolve(), std::vector<std::string>{"finished"});
  EXPECT_TRUE(Claims().empty());
  const absl::StatusOr<ToolResult> repeat = core_->Run(*WriteCall("a", "one", "k"));
  ASSERT_TRUE(repeat.ok()) << repeat.status();
  EXPECT_TRUE(repeat->replayed && repeat->success);
  EXPECT_EQ(repeat->data_json, R"({"bytes":3})");
  EXPECT_EQ(Acts(), 1);
  const auto audit = Audit("scratch_write");
  ASSERT_EQ(audit.size(), 2U);
  EXPECT_EQ(audit[1].recovery(), "finished");
  EXPECT_EQ(audit[1].params_json(), R"({"name":"a","text":"one"})");
  EXPECT_TRUE(audit[1].success());
  ASSERT_TRUE(core_->Run(*UndoCall())->success) << "it can be taken back like any other";
  EXPECT_FALSE(Exists("a"));
}

TEST_F(RecoveryTest, WhatHadNotTakenEffectIsRolledBack) {
  EndAt("staged", *WriteCall("a", "one", "k"));
  EXPECT_TRUE(Exists("a.staged"));
  EXPECT_EQ(Resolve(), std::vector<std::string>{"rolled_back"});
  EXPECT_FALSE(Exists("a.staged"));
  EXPECT_FALSE(Exists("a"));
  const absl::StatusOr<ToolResult> repeat = core_->Run(*WriteCall("a", "one", "k"));
  ASSERT_TRUE(repeat.ok()) << repeat.status();
  EXPECT_TRUE(repeat->replayed);
  EXPECT_FALSE(repeat->success);
  EXPECT_EQ(repeat->error->code, ErrorCode::kExecutionError);
  EXPECT_EQ(Acts(), 0);
}

TEST_F(RecoveryTest, OneRoundResolvesAllClaimsHoweverMany) {
  constexpr int kClaims = 110;  // A round holds 100 at once.
  for (int i = 0; i < kClaims; ++i) EndAt("renamed", *WriteCall(absl::StrCat("a", i), "one", absl::StrCat("k", i)));
  EXPECT_EQ(Resolve().size(), static_cast<size_t>(kClaims));
  EXPECT_TRUE(Claims().empty());
}

TEST_F(RecoveryTest, ARepeatWaitsForRecovery) {
  EndAt("renamed", *WriteCall("a", "one", "k"));
  EXPECT_EQ(core_->Run(*WriteCall("a", "one", "k")).status().code(), absl::StatusCode::kAborted);
  Resolve();
  EXPECT_TRUE(core_->Run(*WriteCall("a", "one", "k"))->replayed);
  EXPECT_EQ(Acts(), 1);
}

TEST_F(RecoveryTest, AnUndoIsMadeToItsEnd) {
  ASSERT_TRUE(core_->Run(*WriteCall("a", "one")).ok());
  EndAt("renamed", *UndoCall("u"));
  EXPECT_EQ(Resolve(), std::vector<std::string>{"finished"});
  EXPECT_FALSE(Exists("a"));
  const absl::StatusOr<ToolResult> repeat = core_->Run(*UndoCall("u"));
  ASSERT_TRUE(repeat.ok()) << repeat.status();
  EXPECT_TRUE(repeat->replayed && repeat->success);
  EXPECT_EQ(Acts(), 2) << "the write and its undo, each once";
}

TEST_F(RecoveryTest, ARecovererThatFailsLeavesTheClaimForTheNextRound) {
  EndAt("renamed", *WriteCall("a", "one", "k"));
  hooks_.fail_recovery = [] { return absl::UnavailableError("the disk is away"); };
  absl::Status why;
  EXPECT_EQ(Resolve(&why), std::vector<std::string>{""});
  EXPECT_EQ(why.message(), "the disk is away");
  ASSERT_EQ(Claims().size(), 1U);
  EXPECT_EQ(Claims()[0].claim.recoveries, 1);
  hooks_.fail_recovery = nullptr;
  EXPECT_EQ(Resolve(), std::vector<std::string>{"finished"});
}

TEST_F(RecoveryTest, AClaimOfAToolThatNobodyKnowsStays) {
  storage::Claim claim;
  claim.id = "c1";
  claim.user_id = "ann";
  claim.tool_id = "gone_tool";
  claim.owner = "earlier";
  Commit([&](storage::Transaction& tx) { return tx.PutClaim(claim); });
  absl::Status why;
  EXPECT_EQ(Resolve(&why), std::vector<std::string>{""});
  EXPECT_EQ(why.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(why.message().find("gone_tool"), std::string_view::npos) << why;
  EXPECT_EQ(Claims().size(), 1U);
}

TEST_F(RecoveryTest, AClaimThatCannotBeReadStaysAndHoldsUpNoOther) {
  EndAt("renamed", *WriteCall("a", "one"));
  storage::Claim claim;
  claim.id = "c1";
  claim.tool_id = "scratch_write";
  claim.owner = "earlier";
  claim.call = "\xff\xff not a message";
  Commit([&](storage::Transaction& tx) { return tx.PutClaim(claim); });
  absl::Status why;
  EXPECT_THAT(Resolve(&why), ::testing::UnorderedElementsAre("", "finished"));
  EXPECT_EQ(why.code(), absl::StatusCode::kDataLoss) << why;
  EXPECT_EQ(Claims().size(), 1U);
}

TEST_F(RecoveryTest, OnASharedStoreOnlyClaimsThatHaveRunOutAreTaken) {
  EndAt("renamed", *WriteCall("a", "one"));
  const auto resolve = [&] {
    int resolved = 0;
    const auto count = [&](const storage::OpenClaim&, std::string_view, const absl::Status&) { ++resolved; };
    EXPECT_TRUE(core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kExpired, count).ok());
    return resolved;
  };
  EXPECT_EQ(resolve(), 0);
  clock_.Advance(absl::Hours(2));
  EXPECT_EQ(resolve(), 1);
}

TEST_F(RecoveryTest, RunningCallsOfThisProcessAreLeftAlone) {
  size_t resolved = 1;
  hooks_.at = [&](std::string_view place) {
    if (place == "staged") resolved = Resolve().size();
  };
  ASSERT_TRUE(core_->Run(*WriteCall("a", "one"))->success);
  EXPECT_EQ(resolved, 0U);
}

TEST_F(RecoveryTest, TheClaimOfAHandlerThatRunsLongIsRenewed) {
  std::vector<absl::Duration> left;
  std::string checkpoint;
  hooks_.at = [&](std::string_view place) {
    if (place != "staged") return;
    for (int minute = 0; minute < 5; ++minute) {
      clock_.Advance(absl::Minutes(1));
      EXPECT_TRUE(core_->core().RenewRunningClaims().ok());
      EXPECT_TRUE(Resolve().empty());
      left.push_back(Claims().at(0).claim.good_until - clock_.Now());
    }
    checkpoint = Claims().at(0).claim.checkpoint;
  };
  const auto call = WriteCall("a", "one");
  call->cancellation.Reset(clock_, clock_.Monotonic() + absl::Seconds(45));
  ASSERT_TRUE(core_->Run(*call)->success);
  EXPECT_THAT(left, ::testing::Each(::testing::Gt(absl::Seconds(30)))) << "no other process may take it over";
  EXPECT_EQ(Json::parse(checkpoint)["name"], "a") << "as the handler left it";
}

}  // namespace
}  // namespace toolgate::services::execution
