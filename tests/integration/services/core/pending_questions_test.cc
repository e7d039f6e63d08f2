// Questions that wait for a person: their maximum number, and the size of the stored part of a call.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/interrupted_store.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using executors::ToolContext;
using executors::ToolHandlers;
using executors::ToolOutput;
using security::ToolResult;
using testing::CodeOf;
using testing::InterruptedStore;
using testing::TestCore;

std::shared_ptr<const executors::Catalog> AskingCatalog() {
  executors::ToolDefinition definition = testing::MakeTool("wipe", 0).definition;
  definition.display_name = "wipe";
  definition.argument_schema =
      Json::parse(R"({"type":"object","properties":{"text":{"type":"string"}},"additionalProperties":false})");
  const executors::WriteHandler wipe = [](ToolContext&, storage::Transaction&) {
    return ToolOutput{.data_json = "{}"};
  };
  return executors::Catalog::Create({definition}, {ToolHandlers{"wipe", wipe}}).value();
}

class PendingQuestionsTest : public ::testing::Test {
 protected:
  PendingQuestionsTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    store_ = testing::MakeTestStore(options);
    interrupted_ = std::make_unique<InterruptedStore>(*store_);
    config_.mutable_confirmation()->add_require_for_tools("wipe");
    core_ = std::make_unique<TestCore>(*interrupted_, clock_, config_, AskingCatalog());
  }
  void Bound(int of_user, int of_workspace) {
    config_.mutable_confirmation()->set_max_pending_per_user(of_user);
    config_.mutable_confirmation()->set_max_pending_per_workspace(of_workspace);
    core_->Reload(config_);
  }
  absl::StatusOr<ToolResult> Ask(Json arguments = Json::object()) { return core_->Run("wipe", std::move(arguments)); }
  absl::StatusOr<ToolResult> AskAs(const std::string& user, const std::string& token = "") {
    const auto call = core_->Call("wipe");
    call->claimed.user_id = user;
    call->confirmation_token = token;
    return core_->Run(*call);
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  toolgate::config::v1::Config config_ = config::Load({}).value();
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<InterruptedStore> interrupted_;
  std::unique_ptr<TestCore> core_;
};

TEST_F(PendingQuestionsTest, TheBoundHoldsForCallsThatAskAtTheSameTime) {
  for (int i = 1; i < config_.confirmation().max_pending_per_user(); ++i) ASSERT_TRUE(Ask()->confirmation.has_value());
  interrupted_->BeforeNextCommit([&] { EXPECT_TRUE(Ask()->confirmation.has_value()); });
  EXPECT_EQ(CodeOf(Ask().status()), ErrorCode::kQuotaExceeded);
}

TEST_F(PendingQuestionsTest, ByDefaultAUserMayHaveAHundredAndAWorkspaceAThousand) {
  EXPECT_EQ(config_.confirmation().max_pending_per_user(), 100);
  EXPECT_EQ(config_.confirmation().max_pending_per_workspace(), 1000);
}

TEST_F(PendingQuestionsTest, TheBoundOfAUserIsASetting) {
  Bound(2, 10);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Ask()->confirmation.has_value());
  const auto error = GetToolError(Ask().status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_EQ(error->message,
            "2 calls of this user wait for a person already, and no more may; let them be decided or expire first");
  EXPECT_TRUE(error->retryable);
  EXPECT_TRUE(AskAs("bob")->confirmation.has_value()) << "the bound of one user is nobody else's";
}

TEST_F(PendingQuestionsTest, TheBoundOfAWorkspaceIsASetting) {
  Bound(10, 2);
  ASSERT_TRUE(AskAs("ann")->confirmation.has_value());
  clock_.Advance(absl::Seconds(30));
  ASSERT_TRUE(AskAs("bob")->confirmation.has_value());
  const auto error = GetToolError(AskAs("eve").status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_EQ(
      error->message,
      "2 calls in this workspace wait for a person already, and no more may; let them be decided or expire first");
  ASSERT_TRUE(error->retry_after.has_value());
  clock_.Advance(*error->retry_after);
  EXPECT_TRUE(AskAs("eve")->confirmation.has_value()) << "Ann's question has expired";
}

TEST_F(PendingQuestionsTest, OtherBoundsKeepTheQuestionsThatWait) {
  Bound(1, 10);
  const auto asked = Ask();
  ASSERT_TRUE(asked.ok() && asked->confirmation.has_value());
  Bound(2, 20);
  const auto approved = AskAs("ann", asked->confirmation->token);
  ASSERT_TRUE(approved.ok()) << approved.status();
  EXPECT_FALSE(approved->confirmation.has_value());
  EXPECT_TRUE(approved->success);
}

TEST_F(PendingQuestionsTest, TheWaitEndsWhenTheFirstOneLapses) {
  for (int i = 0; i < config_.confirmation().max_pending_per_user(); ++i) ASSERT_TRUE(Ask()->confirmation.has_value());
  const auto error = GetToolError(Ask().status());
  ASSERT_TRUE(error.has_value() && error->retry_after.has_value());
  clock_.Advance(*error->retry_after);
  EXPECT_TRUE(Ask()->confirmation.has_value());
}

TEST_F(PendingQuestionsTest, TheWaitIsForAQuestionOfOnesOwn) {
  ASSERT_TRUE(AskAs("bob")->confirmation.has_value());
  clock_.Advance(absl::Seconds(30));
  for (int i = 0; i < config_.confirmation().max_pending_per_user(); ++i) ASSERT_TRUE(Ask()->confirmation.has_value());
  clock_.Advance(*GetToolError(Ask().status())->retry_after);
  EXPECT_TRUE(Ask()->confirmation.has_value());
}

TEST_F(PendingQuestionsTest, AConversationIsKeptMasked) {
  const std::pair<const char*, const char*> rows[] = {
      {"0198c5d2-7d3a-7c11-9a70-2f5c0f7a1b2c", "0198c5d2-7d3a-7c11-9a70-2f5c0f7a1b2c"},
      {"chat with jane@example.org", "chat with [masked:email]"},
  };
  for (const auto& [conversation, shown] : rows) {
    const auto call = core_->Call("wipe", conversation);
    const auto asked = core_->Run(*call);
    ASSERT_TRUE(asked.ok() && asked->confirmation.has_value());
    const auto found = store_->Read("w", [&, shown = shown](storage::ReadView& view) {
      const auto row = view.FindConfirmation(asked->confirmation->confirmation_id);
      EXPECT_TRUE(row.ok() && row->has_value());
      EXPECT_EQ((*row)->conversation_id, shown);
      return row.status();
    });
    EXPECT_TRUE(found.ok()) << found;
  }
}

// A person decides on all of it.
TEST_F(PendingQuestionsTest, ALongCallIsKeptWhole) {
  const Json arguments = {{"text", std::string(100'000, 'x')}};
  const auto asked = Ask(arguments);
  ASSERT_TRUE(asked.ok() && asked->confirmation.has_value());
  EXPECT_TRUE(store_
                  ->Read("w",
                         [&](storage::ReadView& view) {
                           const auto row = view.FindConfirmation(asked->confirmation->confirmation_id);
                           EXPECT_TRUE(row.ok() && row->has_value());
                           EXPECT_EQ((*row)->arguments_json, DumpJson(arguments));
                           return row.status();
                         })
                  .ok());
}

}  // namespace
}  // namespace toolgate::services::core
