// An operator closes a circuit breaker.
#include <memory>

#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/forwarding_store.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
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
using testing::CodeOf;
using testing::TestCore;

// Accepts no audit entries.
class UnauditedStore final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status AppendPackedAudit(const std::vector<storage::PackedAuditEntry>&) override {
    return absl::UnavailableError("full");
  }
};

std::shared_ptr<const executors::Catalog> BreakerCatalog() {
  ToolDefinition definition = testing::MakeTool("fail", 0).definition;
  definition.display_name = "Fail";
  definition.annotations.read_only = true;
  const auto fail = [](ToolContext&, storage::ReadView&) -> absl::StatusOr<ToolOutput> {
    return absl::InternalError("out of order");
  };
  return executors::Catalog::Create({definition}, {{"fail", executors::ReadHandler(fail)}}).value();
}

class BreakerResetTest : public ::testing::Test {
 protected:
  BreakerResetTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    config_ = config::Load({}).value();
    config_.mutable_rate_limiting()->mutable_circuit_breaker()->set_consecutive_failures(1);
    operator_.workspace_id = "w";
    operator_.user_id = "olga";
  }
  BreakerState StateIn(TestCore& core) { return core.core().rate_limit().GetBreaker("tool:fail")->state; }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  toolgate::config::v1::Config config_;
  Caller operator_;
};

TEST_F(BreakerResetTest, IsAudited) {
  TestCore core(*store_, clock_, config_, BreakerCatalog());
  ASSERT_TRUE(core.Run("fail").ok());
  ASSERT_EQ(StateIn(core), BreakerState::kOpen);
  EXPECT_EQ(core.core().ResetBreaker(operator_, "tool:fail")->state, BreakerState::kClosed);
  EXPECT_EQ(CodeOf(core.core().ResetBreaker(operator_, "tool:none").status()), ErrorCode::kNotFound);
  core.Flush();
  storage::AuditQuery resets;
  resets.tool_id = "breaker.reset";
  const auto entries = store_->SearchAudit("w", {}, resets);
  ASSERT_EQ(entries->size(), 2u) << "what was tried in vain is audited as such";
  EXPECT_EQ(entries->front().outcome(), "NOT_FOUND");
  EXPECT_EQ(entries->back().outcome(), "OK");
}

TEST_F(BreakerResetTest, AReloadLeavesAnOpenBreakerOpen) {
  TestCore core(*store_, clock_, config_, BreakerCatalog());
  ASSERT_TRUE(core.Run("fail").ok());
  ASSERT_EQ(StateIn(core), BreakerState::kOpen);
  core.Reload(config_);
  EXPECT_EQ(StateIn(core), BreakerState::kOpen);
  config_.mutable_rate_limiting()->mutable_circuit_breaker()->set_consecutive_failures(3);
  core.Reload(config_);
  EXPECT_EQ(StateIn(core), BreakerState::kOpen) << "for the time that was left";
}

TEST_F(BreakerResetTest, DoesNotHappenUnaudited) {
  UnauditedStore store(*store_);
  config_.mutable_audit()->set_max_pending(1);
  TestCore core(store, clock_, config_, BreakerCatalog());
  ASSERT_TRUE(core.Run("fail").ok());
  ASSERT_EQ(StateIn(core), BreakerState::kOpen);
  EXPECT_FALSE(core.core().ResetBreaker(operator_, "tool:fail").ok());
  EXPECT_EQ(StateIn(core), BreakerState::kOpen);
}

}  // namespace
}  // namespace toolgate::services::core
