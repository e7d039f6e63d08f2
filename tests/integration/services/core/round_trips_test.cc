// Calls of tools need few round trips to the store, however many blocks they change.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/blocks/declared_fields.h"
#include "executors/internal_tool.h"
#include "executors/registration/registration.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/counting_backend.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate::services::core {
namespace {

using security::ToolResult;
using testing::CountingBackend;
using testing::TestCore;

constexpr int kManyBlocks = 1000;

class RoundTripsTest : public ::testing::Test {
 protected:
  RoundTripsTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path() + "/data";
    options.clock = &clock_;
    options.fields = executors::blocks::BlockFields();
    options.wrap = [this](std::unique_ptr<storage::Backend> backend) {
      auto counting = std::make_unique<CountingBackend>(std::move(backend));
      counting_ = counting.get();
      return counting;
    };
    store_ = testing::MakeTestStore(options);
    core_ = std::make_unique<TestCore>(*store_, clock_, config::Load({}).value(),
                                       executors::registration::BuiltInCatalog({}).value());
  }

  // Runs the tool, confirmed where it asks, under an idempotency key, and returns its result.
  Json Run(std::string_view tool, const Json& arguments) {
    const auto question = core_->Call(tool);
    if (tool == "undo") question->internal = executors::InternalTool::kUndo;
    question->SetArguments(arguments);
    question->idempotency_key = absl::StrCat("key", ++keys_);
    absl::StatusOr<ToolResult> result = core_->Run(*question);
    if (result.ok() && result->confirmation.has_value()) {
      const auto confirmed = core_->Call(tool);
      confirmed->SetArguments(arguments);
      confirmed->idempotency_key = absl::StrCat("key", keys_);
      confirmed->confirmation_token = result->confirmation->token;
      counting_->transaction_trips = counting_->snapshot_trips = 0;
      result = core_->Run(*confirmed);
    }
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? Json::parse(result->data_json) : Json();
  }
  // The round trips of its transaction, and within what it reads before that on a snapshot.
  int64_t TripsOf(std::string_view tool, const Json& arguments) {
    counting_->transaction_trips = counting_->snapshot_trips = 0;
    result_ = Run(tool, arguments);
    return counting_->transaction_trips;
  }
  void CreateMany(const std::string& parent) {
    const storage::WriteContext context{"w", "ann", "many", clock_.Now()};
    ASSERT_TRUE(store_
                    ->Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(),
                             [&](storage::Transaction& tx) {
                               absl::Status status;
                               for (int i = 0; i < kManyBlocks && status.ok(); ++i) {
                                 const std::string below = i % 10 == 0 ? parent : absl::StrCat("b", i / 10 * 10);
                                 status = tx.CreateBlock({.id = absl::StrCat("b", i),
                                                          .type = "paragraph",
                                                          .parent_id = below,
                                                          .data = R"({"text":"x"})"})
                                              .status();
                               }
                               return status;
                             })
                    .ok());
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  CountingBackend* counting_ = nullptr;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<TestCore> core_;
  int keys_ = 0;
  Json result_;
};

TEST_F(RoundTripsTest, ATaskOnABoardNeedsEight) {
  const std::string board = Run("create_block", {{"type", "kanban_board"}, {"data", {{"title", "Work"}}}})["blockId"];
  for (const char* column : {"Done", "To do"}) {
    Run("create_block", {{"type", "kanban_column"}, {"parentId", board}, {"data", {{"title", column}}}});
  }
  const Json task = {{"title", "Write"}, {"boardId", board}, {"priority", "high"}};
  Run("create_task", task);
  EXPECT_LE(TripsOf("create_task", task), 8);
}

TEST_F(RoundTripsTest, ADeletionOfAThousandBlocksNeedsTwelveAndSoDoesItsUndo) {
  const Json page = Run("create_block", {{"type", "page"}, {"data", {{"title", "Large"}}}});
  CreateMany(page["blockId"]);
  EXPECT_LE(TripsOf("delete_block", {{"blockId", page["blockId"]}, {"deleteChildren", true}}), 12);
  EXPECT_EQ(result_["deletedCount"], kManyBlocks + 1) << result_.dump();
  EXPECT_LE(TripsOf("undo", Json::object()), 12);
  EXPECT_EQ(Run("get_block", {{"blockId", "b999"}})["block"]["id"], "b999") << "it is back";
}

}  // namespace
}  // namespace toolgate::services::core
