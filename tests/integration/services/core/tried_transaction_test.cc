// A tool that runs in a dry run first, whose changes are then made in the transaction.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/brief_section.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_core.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using executors::ToolContext;
using executors::ToolOutput;
using security::ToolResult;
using storage::Transaction;
using ::testing::SizeIs;

// The tool "count" raises the number on the page "count", and makes a page.
class TriedTransactionTest : public testing::StoreFixture {
 protected:
  TriedTransactionTest() {
    executors::ToolDefinition definition = testing::MakeTool("count", 0).definition;
    definition.display_name = "Count";
    executors::FlexibleHandler flexible;
    flexible.in_transaction = [this](ToolContext&, Transaction& tx) { return Count(tx); };
    flexible.as_effect = [](ToolContext&, executors::EffectSession&) -> absl::StatusOr<executors::Acted> {
      return absl::InternalError("ran as an effect");
    };
    flexible.apply = [](Transaction& tx, const storage::Changes& changes) { return tx.Apply(changes); };
    executors::ToolHandlers row{"count", flexible};
    row.recover = [](ToolContext&, executors::EffectSession&) { return executors::Recovered(); };
    core_ = std::make_unique<testing::TestCore>(*store_, clock_, config::Load({}).value(),
                                                executors::Catalog::Create({definition}, {row}).value());
    Commit([](Transaction& tx) { return tx.CreateBlock({"count", "text", "", "0", std::nullopt}).status(); });
  }

  absl::StatusOr<ToolOutput> Count(Transaction& tx) {
    ++runs_;
    const auto before = tx.GetBlock("count");
    if (!before.ok()) return before.status();
    const std::string next = std::to_string(std::stoi(before->data) + 1);
    const auto written = tx.UpdateBlock("count", next);
    if (!written.ok()) return written.status();
    const auto made = tx.CreateBlock({"", "page", "", "{}", std::nullopt});
    if (!made.ok()) return made.status();
    if (meanwhile_ != nullptr) meanwhile_();
    BriefSection::Note("the tool");
    if (!failure_.ok()) return failure_;
    return ToolOutput{.data_json = next, .description = "Counted"};
  }
  // Acts as another caller while the tool runs.
  void Set(const std::string& count) {
    Commit([&](Transaction& tx) { return tx.UpdateBlock("count", count).status(); });
  }
  std::string Stored() {
    std::string count;
    View([&](storage::ReadView& view) {
      count = view.GetBlock("count").value().data;
      return absl::OkStatus();
    });
    return count;
  }

  std::unique_ptr<testing::TestCore> core_;
  int runs_ = 0;
  std::function<void()> meanwhile_;
  absl::Status failure_;
  const uint64_t noted_before_ = BriefSection::noted();
};

TEST_F(TriedTransactionTest, RunsBesideOthersAndCommitsWhatItChanged) {
  meanwhile_ = [this] {
    Commit([](Transaction& tx) { return tx.CreateBlock({"", "page", "count", "{}", {}}).status(); });
  };
  const auto result = core_->Run("count");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, "1");
  EXPECT_TRUE(result->can_undo);
  EXPECT_EQ(Stored(), "1");
  EXPECT_EQ(Pages(), 2);
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(BriefSection::noted(), noted_before_) << "the tool ran in the transaction";
  ASSERT_THAT(UndoStack(), SizeIs(1));
  EXPECT_THAT(UndoStack()[0].affected_block_ids, SizeIs(2));
  EXPECT_THAT(AuditLog("count"), SizeIs(1));
}

TEST_F(TriedTransactionTest, RunsAgainWhenWhatItChangedHasChanged) {
  meanwhile_ = [this] {
    if (runs_ == 1) Set("10");
  };
  EXPECT_EQ(core_->Run("count")->data_json, "11");
  EXPECT_EQ(Stored(), "11");
  EXPECT_EQ(Pages(), 1);
  EXPECT_EQ(runs_, 2);
  EXPECT_THAT(UndoStack(), SizeIs(1));
  EXPECT_THAT(AuditLog("count"), SizeIs(1));
}

TEST_F(TriedTransactionTest, RunsInTheTransactionWhenItNeverFits) {
  meanwhile_ = [this] {
    if (runs_ <= 4) Set(std::to_string(100 * runs_));
  };
  EXPECT_EQ(core_->Run("count")->data_json, "401");
  EXPECT_EQ(Stored(), "401");
  EXPECT_EQ(runs_, 5);
  EXPECT_EQ(BriefSection::noted(), noted_before_ + 1);
}

TEST_F(TriedTransactionTest, AFailureIsRecordedAndLeavesNothing) {
  failure_ = MakeError(ErrorCode::kConflict, "no");
  const auto result = core_->Run("count");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->success);
  EXPECT_EQ(Stored(), "0");
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(UndoStack(), SizeIs(0));
  EXPECT_THAT(AuditLog("count"), SizeIs(1));
}

TEST_F(TriedTransactionTest, ARepeatIsAnswered) {
  const auto call = core_->Call("count");
  call->idempotency_key = "k";
  EXPECT_EQ(core_->Run(*call)->data_json, "1");
  const auto repeat = core_->Call("count");
  repeat->idempotency_key = "k";
  const auto again = core_->Run(*repeat);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(again->data_json, "1");
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(Stored(), "1");
}

TEST_F(TriedTransactionTest, AKeyThatAnotherCallUsesMeanwhileIsAnsweredItsOutcome) {
  meanwhile_ = [this] {
    meanwhile_ = nullptr;
    const auto other = core_->Call("count");
    other->idempotency_key = "k";
    EXPECT_EQ(core_->Run(*other)->data_json, "1");
  };
  const auto call = core_->Call("count");
  call->idempotency_key = "k";
  const auto result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->replayed);
  EXPECT_EQ(Stored(), "1");
  EXPECT_EQ(Pages(), 1);
}

TEST_F(TriedTransactionTest, ADryRunKeepsNothing) {
  const auto call = core_->Call("count");
  call->dry_run = true;
  EXPECT_EQ(core_->Run(*call)->data_json, "1");
  EXPECT_EQ(Stored(), "0");
  EXPECT_EQ(core_->Run("count")->data_json, "1");
  EXPECT_EQ(Stored(), "1");
}

}  // namespace
}  // namespace toolgate::services::core
