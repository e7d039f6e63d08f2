// A repeat with an idempotency key is answered what the first call was answered.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/sqlite/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_tools.h"

namespace toolgate::services {
namespace {

using executors::ToolContext;
using executors::ToolDefinition;
using executors::ToolOutput;
using security::ToolResult;
using testing::TestCore;

constexpr int kMaxResultBytes = 2048;
constexpr size_t kLong = 3'000'000;

std::shared_ptr<const executors::Catalog> TestCatalog() {
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
    storage::sqlite::SqliteStore::Options options;
    options.data_dir = dir_.path();
    store_ = storage::sqlite::SqliteStore::Create(options).value();
    config::v1::Config config = config::Load({}).value();
    config.mutable_execution_tracking()->set_max_result_bytes(kMaxResultBytes);
    core_ = std::make_unique<TestCore>(*store_, clock_, config, TestCatalog());
  }
  absl::StatusOr<ToolResult> Tell(std::string_view key) {
    const auto call = core_->Call("tell");
    call->idempotency_key = key;
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
  std::unique_ptr<storage::sqlite::SqliteStore> store_;
  std::unique_ptr<TestCore> core_;
};

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
}  // namespace toolgate::services
