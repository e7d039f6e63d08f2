// A provider's name on its way from the definition file to layer 3: one throttle and one breaker for all its tools.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolDefinition;
using executors::ToolOutput;
using testing::CodeOf;
using testing::FactOf;
using testing::TestCore;

ToolDefinition Definition(const std::string& id, const std::string& executor) {
  const auto definition = executors::ParseToolDefinition(
      id, absl::StrCat(R"({"id": ")", id, R"(", "name": "T", "description": "T", "category": "read", "module": "test",
          "permissions": ["block:read"], "confirmation": "never", "annotations": {"readOnly": true},
          "executor": )",
                       executor, R"(, "arguments": {"type": "object"}, "result": {"type": "object"},
          "examples": [{"description": "One", "arguments": {}, "result": {}}]})"));
  EXPECT_TRUE(definition.ok()) << definition.status();
  return definition.value_or(ToolDefinition());
}

class ProviderTest : public ::testing::Test {
 protected:
  ProviderTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    config_ = config::Load({}).value();
  }

  void Make() {
    const ReadHandler answer = [this](ToolContext&, storage::ReadView&) -> absl::StatusOr<ToolOutput> {
      if (provider_down_) return MakeError(ErrorCode::kExecutionError, "the provider is down");
      return ToolOutput{.data_json = "{}"};
    };
    const ReadHandler local = [](ToolContext&, storage::ReadView&) { return ToolOutput{.data_json = "{}"}; };
    core_ = std::make_unique<TestCore>(
        *store_, clock_, config_,
        executors::Catalog::Create({Definition("web", R"({"kind": "native", "provider": "search"})"),
                                    Definition("images", R"({"kind": "native", "provider": "search"})"),
                                    Definition("maps", R"({"kind": "native", "provider": "geo"})"),
                                    Definition("local", R"({"kind": "native"})")},
                                   {{"web", answer}, {"images", answer}, {"maps", local}, {"local", local}})
            .value());
  }
  ToolError Refused(std::string_view tool) {
    const auto result = core_->Run(tool);
    EXPECT_FALSE(result.ok()) << tool;
    return GetToolError(result.status()).value_or(ToolError());
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  toolgate::config::v1::Config config_;
  std::unique_ptr<TestCore> core_;
  bool provider_down_ = false;
};

TEST_F(ProviderTest, OneThrottleHoldsForAllToolsOfAProvider) {
  auto& window = *(*config_.mutable_rate_limiting()->mutable_providers())["search"].add_windows();
  window.set_audience("any");
  window.set_max_calls(3);
  window.mutable_window()->set_seconds(60);
  Make();
  for (const char* tool : {"web", "images", "web"}) EXPECT_TRUE(core_->Run(tool).ok()) << tool;
  for (const char* tool : {"web", "images"}) {
    const ToolError error = Refused(tool);
    EXPECT_EQ(error.code, ErrorCode::kRateLimited) << tool;
    EXPECT_EQ(FactOf(error, "scope"), "provider") << tool;
  }
  for (const char* tool : {"maps", "local"}) EXPECT_TRUE(core_->Run(tool).ok()) << tool;
  clock_.Advance(absl::Seconds(60));
  EXPECT_TRUE(core_->Run("images").ok());
}

TEST_F(ProviderTest, ADeadProviderStopsAllItsToolsAndNoOthers) {
  Make();
  provider_down_ = true;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(core_->Run(i % 2 == 0 ? "web" : "images")->success);
  }
  for (const char* tool : {"web", "images"}) {
    const ToolError error = Refused(tool);
    EXPECT_EQ(error.code, ErrorCode::kCircuitOpen) << tool;
    EXPECT_EQ(FactOf(error, "breaker"), "provider:search") << tool;
  }
  for (const char* tool : {"maps", "local"}) EXPECT_TRUE(core_->Run(tool)->success) << tool;
  provider_down_ = false;
  clock_.Advance(absl::Seconds(15));
  EXPECT_TRUE(core_->Run("images")->success) << "a probe passes";
}

TEST_F(ProviderTest, AThrottleForAProviderThatNoToolNamesStopsTheStart) {
  Make();
  auto& window = *(*config_.mutable_rate_limiting()->mutable_providers())["nobody"].add_windows();
  window.set_audience("any");
  window.set_max_calls(3);
  window.mutable_window()->set_seconds(60);
  EXPECT_EQ(core_->TryAgainWith(config_).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace toolgate::services::core
