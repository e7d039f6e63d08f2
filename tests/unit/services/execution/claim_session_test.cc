#include "services/execution/claim_session.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/outside_tool.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_core.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::execution {
namespace {

using executors::Acted;
using executors::EffectSession;
using executors::ToolContext;
using testing::CodeOf;

class ClaimSessionTest : public testing::StoreFixture {
 protected:
  using Handler = std::function<absl::Status(ToolContext&, EffectSession&)>;

  ClaimSessionTest() {
    std::vector<executors::ToolHandlers> handlers = testing::OutsideHandlers(world_);
    for (executors::ToolHandlers& row : handlers) {
      row.run = executors::EffectHandler([this](ToolContext& context, EffectSession& session) -> absl::StatusOr<Acted> {
        if (absl::Status status = handler_(context, session); !status.ok()) return status;
        Acted acted;
        acted.output.data_json = "{}";
        return acted;
      });
    }
    core_ = std::make_unique<testing::TestCore>(*store_, clock_, config::Load({}).value(),
                                                executors::MakeCatalog({testing::OutsideFamily(handlers)}, {}).value());
  }
  absl::StatusOr<security::ToolResult> Run(std::string_view tool, Handler handler) {
    handler_ = std::move(handler);
    const auto call = core_->Call(tool);
    call->cancellation.Reset(clock_, absl::InfiniteDuration());
    return core_->Run(*call);
  }

  testing::OutsideWorld world_;
  Handler handler_;
  std::unique_ptr<testing::TestCore> core_;
};

TEST_F(ClaimSessionTest, KeepsTheLastCheckpoint) {
  const auto result = Run("outside_act", [&](ToolContext&, EffectSession& session) -> absl::Status {
    EXPECT_EQ(session.checkpoint(), "");
    EXPECT_TRUE(session.Checkpoint("staged").ok());
    EXPECT_EQ(session.checkpoint(), "staged");
    EXPECT_EQ(Claims().at(0).claim.checkpoint, "staged");
    EXPECT_EQ(Claims().at(0).claim.id, session.key());
    return absl::OkStatus();
  });
  EXPECT_TRUE(result.ok() && result->success);
}

TEST_F(ClaimSessionTest, RefusesACheckpointThatIsTooLongOrHasNoClaim) {
  ASSERT_TRUE(Run("outside_act", [](ToolContext&, EffectSession& session) {
                EXPECT_EQ(session.Checkpoint(std::string(storage::kMaxCheckpointBytes + 1, 'x')).code(),
                          absl::StatusCode::kInvalidArgument);
                return absl::OkStatus();
              }).ok());
  ASSERT_TRUE(Run("outside_look", [](ToolContext&, EffectSession& session) {
                EXPECT_EQ(session.Checkpoint("x").code(), absl::StatusCode::kFailedPrecondition);
                return absl::OkStatus();
              }).ok());
}

TEST_F(ClaimSessionTest, ACheckpointOfAClaimThatIsAnothersSaysStop) {
  Run("outside_act", [&](ToolContext&, EffectSession& session) {
    const storage::Claim claim = Claims().at(0).claim;
    Commit([&](storage::Transaction& tx) { return tx.DropClaim(claim.id, claim.owner).status(); });
    const absl::Status stop = session.Checkpoint("x");
    EXPECT_EQ(stop.code(), absl::StatusCode::kAborted);
    return stop;
  }).IgnoreError();
}

TEST_F(ClaimSessionTest, AWaitEndsWithItsEventOrItsTime) {
  ASSERT_TRUE(Run("outside_look", [&](ToolContext&, EffectSession& session) {
                fibers::Event event;
                EXPECT_EQ(session.Wait(event, absl::ZeroDuration()).value(), false);
                event.Set();
                EXPECT_EQ(session.Wait(event).value(), true);
                return absl::OkStatus();
              }).ok());
}

TEST_F(ClaimSessionTest, AWaitEndsAtTheCallsDeadline) {
  std::thread time;
  const auto result = Run("outside_look", [&](ToolContext& context, EffectSession& session) {
    time = std::thread([&] { clock_.Advance(context.cancellation.Remaining()); });
    fibers::Event never;
    return session.Wait(never).status();
  });
  time.join();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->error->code, ErrorCode::kTimeout);
}

TEST_F(ClaimSessionTest, AWaitEndsWhenTheClientLeaves) {
  const auto call = core_->Call("outside_act");
  handler_ = [](ToolContext&, EffectSession& session) {
    fibers::Event never;
    return session.Wait(never).status();
  };
  std::thread client([&] { call->cancellation.Cancel(); });
  const auto result = core_->Run(*call);
  client.join();
  // Cancelled before it began, or while it waited.
  EXPECT_EQ(result.ok() ? result->error->code : CodeOf(result.status()), ErrorCode::kCancelled);
  EXPECT_TRUE(Claims().empty());
}

}  // namespace
}  // namespace toolgate::services::execution
