// A repeat with an idempotency key gets the same answer as the first call.
#include <memory>
#include <optional>
#include <string>

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
using executors::ToolDefinition;
using executors::ToolOutput;
using security::ToolResult;
using testing::InterruptedStore;
using testing::TestCore;

constexpr int kMaxResultBytes = 2048;
constexpr size_t kLong = 3'000'000;

std::shared_ptr<const executors::Catalog> LongAnswerCatalog() {
  ToolDefinition definition = testing::MakeTool("tell", 0).definition;
  definition.display_name = "Tell";
  definition.annotations.read_only = true;
  const auto tell = [](ToolContext&, storage::ReadView&) -> absl::StatusOr<ToolOutput> {
    return ToolOutput{.data_json = DumpJson(Json(std::string(kLong, 'x')))};
  };
  return executors::Catalog::Create({definition}, {{"tell", executors::ReadHandler(tell)}}).value();
}

class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    sqlite_ = testing::MakeTestStore(options);
    store_ = std::make_unique<InterruptedStore>(*sqlite_);
    config_ = config::Load({}).value();
    config_.mutable_execution_tracking()->set_max_result_bytes(kMaxResultBytes);
    core_ = std::make_unique<TestCore>(*store_, clock_, config_, LongAnswerCatalog());
  }
  absl::StatusOr<ToolResult> Tell(std::string_view key, std::string_view token = "") {
    const auto call = core_->Call("tell");
    call->idempotency_key = key;
    call->confirmation_token = token;
    return core_->Run(*call);
  }
  std::optional<storage::IdempotentOutcome> Stored(std::string_view key) {
    std::optional<storage::IdempotentOutcome> outcome;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](storage::ReadView& view) {
                             outcome = view.FindOutcome("ann", key, clock_.Now()).value();
                             return absl::OkStatus();
                           })
                    .ok());
    return outcome;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  toolgate::config::v1::Config config_;
  std::unique_ptr<storage::Store> sqlite_;
  std::unique_ptr<InterruptedStore> store_;
  std::unique_ptr<TestCore> core_;
};

TEST_F(ReplayTest, AKeyIsMeasuredInCharacters) {
  std::string key;
  for (int i = 0; i < 255; ++i) key += "ü";
  EXPECT_TRUE(Tell(key).ok());
  EXPECT_TRUE(Tell(key)->replayed);
  EXPECT_EQ(testing::CodeOf(Tell(key + "ü").status()), ErrorCode::kInvalidParams);
}

TEST_F(ReplayTest, ARetryWhoseFirstCallUsesUpTheirTokenMeanwhileIsAnsweredItsOutcome) {
  config_.mutable_confirmation()->add_require_for_tools("tell");
  core_->Reload(config_);
  const auto question = Tell("k");
  ASSERT_TRUE(question.ok() && question->confirmation.has_value()) << question.status();
  const std::string token = question->confirmation->token;
  // The retry has looked for an outcome when the first call commits.
  absl::StatusOr<ToolResult> first = absl::UnknownError("it did not run");
  store_->AfterNextRead([&] { first = Tell("k", token); });
  const auto retry = Tell("k", token);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(first->replayed);
  ASSERT_TRUE(retry.ok()) << retry.status();
  EXPECT_TRUE(retry->replayed);
  EXPECT_EQ(retry->audit_entry_id, first->audit_entry_id);
}

TEST_F(ReplayTest, ALongResultIsStoredAndRepeatedAsItWasCut) {
  const auto first = Tell("k");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->truncated);
  EXPECT_LE(first->data_json.size(), size_t{kMaxResultBytes});
  const auto second = Tell("k");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(second->replayed);
  EXPECT_TRUE(second->truncated);
  EXPECT_EQ(second->data_json, first->data_json);
  ASSERT_TRUE(Stored("k").has_value());
  EXPECT_LT(Stored("k")->response.size(), size_t{2 * kMaxResultBytes});
}

}  // namespace
}  // namespace toolgate::services::core
