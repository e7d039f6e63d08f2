// A store that fails while a tool runs: the call is refused with the cause, and the tool is not to blame.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_backend.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using coordination::breakers::BreakerState;
using executors::ToolContext;
using executors::ToolDefinition;
using executors::ToolOutput;
using security::ToolResult;
using testing::CodeOf;
using testing::FactOf;
using testing::FaultyBackend;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestCore;

constexpr int kMany = 30;  // More than enough to open a breaker.

ToolDefinition Definition(std::string_view id, bool read_only) {
  ToolDefinition definition = testing::MakeTool(id, 0).definition;
  definition.display_name = id;
  definition.annotations.read_only = read_only;
  return definition;
}

std::shared_ptr<const executors::Catalog> FaultyCatalog() {
  const auto read = [](ToolContext&, storage::ReadView& view) -> absl::StatusOr<ToolOutput> {
    const auto block = view.FindBlock("b");
    if (!block.ok()) return block.status();
    return ToolOutput{.data_json = "{}"};
  };
  const auto write = [](ToolContext&, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
    const auto block = tx.CreateBlock({"", "page", "", "{}", std::nullopt});
    if (!block.ok()) return block.status();
    return ToolOutput{.data_json = "{}"};
  };
  // Uses its own wording, as automations do.
  const auto step = [](ToolContext& context, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
    const auto answer = context.steps->RunStep({"write", Json::object()}, tx);
    if (!answer.ok()) return MakeError(ErrorCode::kExecutionError, "the step failed");
    return ToolOutput{.data_json = "{}"};
  };
  const auto tolerant = [](ToolContext& context, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
    return ToolOutput{.data_json = tx.FindBlock("b").ok() ? R"({"saw":true})" : R"({"saw":false})"};
  };
  const auto own = [](ToolContext&, storage::ReadView&) -> absl::StatusOr<ToolOutput> {
    return absl::UnavailableError("the tool's own trouble");
  };
  return executors::Catalog::Create({Definition("read", true), Definition("write", false), Definition("step", false),
                                     Definition("tolerant", false), Definition("own", true)},
                                    {{"read", executors::ReadHandler(read)},
                                     {"write", executors::WriteHandler(write)},
                                     {"step", executors::WriteHandler(step)},
                                     {"tolerant", executors::WriteHandler(tolerant)},
                                     {"own", executors::ReadHandler(own)}})
      .value();
}

class StoreFaultTest : public ::testing::Test {
 protected:
  StoreFaultTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.wrap = [this](std::unique_ptr<storage::Backend> backend) {
      auto faulty = std::make_unique<FaultyBackend>(std::move(backend));
      faulty_ = faulty.get();
      return faulty;
    };
    store_ = testing::MakeTestStore(options);
    toolgate::config::v1::Config config = config::Load({}).value();
    config.mutable_execution_tracking()->set_max_calls_per_request(1000);
    auto& window = *(*config.mutable_rate_limiting()->mutable_tools())["write"].add_windows();
    window.set_audience("any");
    window.set_max_calls(kMany + 1);
    window.mutable_window()->set_seconds(3600);
    core_ = std::make_unique<TestCore>(*store_, clock_, config, FaultyCatalog());
  }
  ToolError Refused(std::string_view tool) {
    const auto result = core_->Run(tool);
    EXPECT_FALSE(result.ok()) << tool << " answered a result: success " << result->success;
    return GetToolError(result.status()).value_or(ToolError());
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  FaultyBackend* faulty_ = nullptr;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<TestCore> core_;
};

TEST_F(StoreFaultTest, IsRefusedAsWhatItIs) {
  faulty_->fault = absl::UnavailableError("disk /var/lib/toolgate is away");
  for (const char* tool : {"read", "write", "step"}) {
    const ToolError error = Refused(tool);
    EXPECT_EQ(error.code, ErrorCode::kOverloaded) << tool;
    EXPECT_TRUE(error.retryable) << tool;
    EXPECT_EQ(error.retry_after, absl::Seconds(1)) << tool;
    EXPECT_EQ(FactOf(error, "fault"), "store") << tool;
    EXPECT_THAT(error.message, HasSubstr("the store cannot serve")) << tool;
    EXPECT_THAT(error.message, Not(HasSubstr("disk"))) << tool;
  }
  for (const absl::Status& lasting : {absl::InternalError("broken"), absl::DataLossError("damaged")}) {
    faulty_->fault = lasting;
    for (const char* tool : {"read", "write", "step"}) {
      const ToolError error = Refused(tool);
      EXPECT_EQ(error.code, ErrorCode::kExecutionError) << tool << lasting;
      EXPECT_FALSE(error.retryable) << tool << lasting;
      EXPECT_EQ(FactOf(error, "fault"), "store") << tool << lasting;
    }
  }
}

TEST_F(StoreFaultTest, IsNeverChargedToTheTool) {
  for (const absl::Status& fault :
       {absl::UnavailableError("away"), absl::InternalError("broken"), absl::DataLossError("damaged")}) {
    faulty_->fault = fault;
    for (const char* tool : {"read", "write", "step"}) {
      for (int i = 0; i < kMany; ++i) Refused(tool);
    }
  }
  EXPECT_THAT(core_->core().rate_limit().ListBreakers(), IsEmpty()) << "no call counted at all";
  faulty_->fault = absl::OkStatus();
  for (const char* tool : {"read", "write", "step"}) EXPECT_TRUE(core_->Run(tool)->success) << tool;
  // Neither affected a limit: there is one charge each of "write" and the step.
  EXPECT_EQ(core_->core().rate_limit().ListQuotaUsage("w", "ann")->at(0).used, 2);
}

TEST_F(StoreFaultTest, AFailureOfTheToolsOwnStillCountsAgainstIt) {
  for (int i = 0; i < kMany; ++i) {
    const auto result = core_->Run("own");
    if (!result.ok()) {
      EXPECT_EQ(CodeOf(result.status()), ErrorCode::kCircuitOpen);
    }
  }
  const auto breakers = core_->core().rate_limit().ListBreakers();
  ASSERT_EQ(breakers.size(), 1u);
  EXPECT_EQ(breakers[0].name, "tool:own");
  EXPECT_EQ(breakers[0].state, BreakerState::kOpen);
}

TEST_F(StoreFaultTest, AToolThatDoesWithoutIsNotRefused) {
  faulty_->fault = absl::UnavailableError("away");
  const auto result = core_->Run("tolerant");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, R"({"saw":false})");
}

}  // namespace
}  // namespace toolgate::services::core
