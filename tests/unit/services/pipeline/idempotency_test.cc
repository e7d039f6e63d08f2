#include "services/pipeline/idempotency.h"

#include <functional>
#include <memory>
#include <string>

#include "common/status_macros.h"
#include "gtest/gtest.h"
#include "security/injection_defence/untrusted_output.h"
#include "security/provenance/provenance.h"
#include "services/config/config.h"
#include "services/execution/outside_text.h"
#include "storage/store.h"
#include "tests/support/detector_options.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::pipeline {
namespace {

using security::ToolCall;
using security::ToolResult;
using testing::TheDetector;

// Failures before the tool, which no transaction stores.
class FailureBeforeTheToolTest : public ::testing::Test {
 protected:
  FailureBeforeTheToolTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    provenance_ = security::provenance::Provenance::Create({}, config::Load({})->provenance(), *store_).value();
    outside_text_ = std::make_unique<execution::OutsideText>(scanner_, *provenance_, clock_);
    replay_ = std::make_unique<Replay>(*store_, clock_, *outside_text_);
  }
  // A call with the key "k" that fails on its way in.
  ToolResult Run(ErrorCode code, bool retryable = false) {
    const auto call = testing::MakeCall(tool_);
    call->idempotency_key = "k";
    call->FreezeArguments();
    const auto next = [&](ToolCall&) -> absl::StatusOr<ToolResult> {
      ToolResult result;
      result.error.emplace().code = code;
      result.error->retryable = retryable;
      return result;
    };
    const absl::StatusOr<ToolResult> result = replay_->Run(*call, next);
    EXPECT_TRUE(result.ok()) << result.status();
    return *result;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  security::injection_defence::UntrustedOutput scanner_{TheDetector(), IdSource::Real()};
  std::unique_ptr<security::provenance::Provenance> provenance_;
  std::unique_ptr<execution::OutsideText> outside_text_;
  std::unique_ptr<Replay> replay_;
  const executors::Tool tool_ = testing::MakeTool("delete_block", 0);
};

TEST_F(FailureBeforeTheToolTest, IsAnsweredAgain) {
  EXPECT_FALSE(Run(ErrorCode::kNotFound).replayed);
  const ToolResult again = Run(ErrorCode::kConflict);
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.error->code, ErrorCode::kNotFound);
}

TEST_F(FailureBeforeTheToolTest, ThatMayBeTriedAgainIsNot) {
  for (const ErrorCode code : {ErrorCode::kCancelled, ErrorCode::kTimeout, ErrorCode::kOverloaded}) {
    EXPECT_FALSE(Run(code).replayed);
  }
  EXPECT_FALSE(Run(ErrorCode::kConflict, /*retryable=*/true).replayed);
  EXPECT_FALSE(Run(ErrorCode::kNotFound).replayed) << "nothing of the others was stored";
}

// Repeats while the journal has a claim with their key.
class HeldKeyTest : public FailureBeforeTheToolTest {
 protected:
  void Claim(const std::string& user, const std::string& key) {
    storage::Claim claim;
    claim.id = user + key;
    claim.user_id = user;
    claim.idempotency_key = key;
    claim.good_until = clock_.Now() + absl::Milliseconds(1500);
    const storage::WriteContext write{"w", user, claim.id, clock_.Now()};
    const auto put = [&](storage::Transaction& tx) -> absl::Status {
      RETURN_IF_ERROR(tx.ClaimIdempotencyKey(user, key).status());
      return tx.PutClaim(claim);
    };
    EXPECT_TRUE(store_->Commit(write, storage::CommitMode::kDurable, fibers::Cancellation(), put).ok());
  }
  absl::Status Repeat(std::function<void()> on_the_way = nullptr) {
    const auto call = testing::MakeCall(tool_);
    call->caller.workspace_id = "w";
    call->caller.user_id = "ann";
    call->idempotency_key = "k";
    call->FreezeArguments();
    const auto next = [&](ToolCall&) -> absl::StatusOr<ToolResult> {
      went_on_ = true;
      if (on_the_way != nullptr) on_the_way();
      return MakeError(ErrorCode::kCancelled, "the token was used");
    };
    return replay_->Run(*call, next).status();
  }

  bool went_on_ = false;
};

TEST_F(HeldKeyTest, GoNoFurtherAndAreToldWhenToComeAgain) {
  Claim("ann", "k");
  const absl::Status held = Repeat();
  EXPECT_EQ(held.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(GetToolError(held)->retry_after, absl::Milliseconds(1500));
  EXPECT_FALSE(went_on_) << "their token is used, and that is no reason to ask anew";
}

TEST_F(HeldKeyTest, AreToldSoWhenTheFirstCallBeganOnTheirWay) {
  EXPECT_EQ(Repeat([&] { Claim("ann", "k"); }).code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(went_on_);
}

TEST_F(HeldKeyTest, KeysOfOthersHoldUpNobody) {
  Claim("bob", "k");
  Claim("ann", "other");
  EXPECT_EQ(testing::CodeOf(Repeat()), ErrorCode::kCancelled);
  EXPECT_TRUE(went_on_);
}

}  // namespace
}  // namespace toolgate::services::pipeline
