// Claims of effects.
#include "storage/journal.h"

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;

class JournalTest : public StoreTest {
 protected:
  void Write(absl::FunctionRef<absl::Status(Transaction&)> body) {
    const absl::Status status = Commit(body);
    EXPECT_TRUE(status.ok()) << status;
  }
  void Look(absl::FunctionRef<void(ReadView&)> body) {
    EXPECT_TRUE(Read([&](ReadView& view) {
                  body(view);
                  return absl::OkStatus();
                }).ok());
  }
};

Claim MakeClaim(const std::string& id, const std::string& key = "") {
  Claim claim;
  claim.id = id;
  claim.user_id = "ada";
  claim.tool_id = "tool";
  claim.idempotency_key = key;
  claim.owner = "process-1";
  claim.claimed_at = absl::FromUnixMicros(1'000'001);
  claim.good_until = absl::FromUnixMicros(2'000'002);
  claim.call = std::string("call\0bytes", 10);
  claim.checkpoint = "begun";
  return claim;
}

absl::Status Put(Transaction& tx, const Claim& claim) {
  if (!claim.idempotency_key.empty()) {
    EXPECT_TRUE(tx.ClaimIdempotencyKey(claim.user_id, claim.idempotency_key).ok());
  }
  return tx.PutClaim(claim);
}

TEST_P(JournalTest, KeepsAClaimAsItIs) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1", "k")); });
  Look([&](ReadView& view) {
    const auto found = view.FindClaim("c1");
    ASSERT_TRUE(found.ok() && found->has_value());
    EXPECT_EQ((*found)->user_id, "ada");
    EXPECT_EQ((*found)->tool_id, "tool");
    EXPECT_EQ((*found)->idempotency_key, "k");
    EXPECT_EQ((*found)->owner, "process-1");
    EXPECT_EQ((*found)->claimed_at, absl::FromUnixMicros(1'000'001));
    EXPECT_EQ((*found)->good_until, absl::FromUnixMicros(2'000'002));
    EXPECT_EQ((*found)->recoveries, 0);
    EXPECT_EQ((*found)->call, std::string("call\0bytes", 10));
    EXPECT_EQ((*found)->checkpoint, "begun");
    EXPECT_FALSE(view.FindClaim("c2")->has_value());
    const auto by_key = view.FindClaimByKey("ada", "k");
    ASSERT_TRUE(by_key.ok() && by_key->has_value());
    EXPECT_EQ((*by_key)->id, "c1");
    EXPECT_FALSE(view.FindClaimByKey("ada", "other")->has_value());
    EXPECT_FALSE(view.FindClaimByKey("bob", "k")->has_value()) << "keys are a user's";
    EXPECT_FALSE(view.FindClaimByKey("ada", "")->has_value()) << "no key is none";
  });
}

TEST_P(JournalTest, AClaimHoldsItsKeyUntilItIsDropped) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1", "k")); });
  Write([&](Transaction& tx) {
    const absl::Status held = tx.ClaimIdempotencyKey("ada", "k").status();
    EXPECT_EQ(held.code(), absl::StatusCode::kAborted) << held;
    EXPECT_EQ(GetToolError(held)->code, ErrorCode::kConflict);
    EXPECT_TRUE(GetToolError(held)->retryable);
    EXPECT_TRUE(tx.ClaimIdempotencyKey("bob", "k").ok()) << "another user's key is another key";
    EXPECT_TRUE(tx.ClaimIdempotencyKey("ada", "other").ok());
    return absl::OkStatus();
  });
  Write([&](Transaction& tx) {
    EXPECT_TRUE(tx.DropClaim("c1", "process-1").value());
    EXPECT_TRUE(tx.ClaimIdempotencyKey("ada", "k").ok());
    return absl::OkStatus();
  });
}

TEST_P(JournalTest, AKeyMustBeClaimedBefore) {
  Write([&](Transaction& tx) {
    EXPECT_EQ(tx.PutClaim(MakeClaim("c1", "k")).code(), absl::StatusCode::kFailedPrecondition);
    return absl::OkStatus();
  });
}

TEST_P(JournalTest, OnlyItsOwnerChangesAClaim) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1")); });
  Write([&](Transaction& tx) {
    EXPECT_FALSE(tx.RenewClaim("c1", "process-2", absl::FromUnixMicros(3), "x").value());
    EXPECT_FALSE(tx.TakeOverClaim("c1", "process-2", "process-3", absl::FromUnixMicros(3)).value());
    EXPECT_FALSE(tx.DropClaim("c1", "process-2").value());
    EXPECT_FALSE(tx.DropClaim("c2", "process-1").value());
    EXPECT_TRUE(tx.RenewClaim("c1", "process-1", absl::FromUnixMicros(3'000'003), "staged").value());
    return absl::OkStatus();
  });
  Write([&](Transaction& tx) {
    EXPECT_TRUE(tx.TakeOverClaim("c1", "process-1", "process-2", absl::FromUnixMicros(4'000'004)).value());
    const Claim claim = **tx.FindClaim("c1");
    EXPECT_EQ(claim.owner, "process-2");
    EXPECT_EQ(claim.good_until, absl::FromUnixMicros(4'000'004));
    EXPECT_EQ(claim.checkpoint, "staged");
    EXPECT_EQ(claim.recoveries, 1);
    EXPECT_FALSE(tx.RenewClaim("c1", "process-1", absl::FromUnixMicros(5), "late").value());
    EXPECT_TRUE(tx.DropClaim("c1", {"process-2", 1}).value());
    EXPECT_FALSE(tx.FindClaim("c1")->has_value());
    return absl::OkStatus();
  });
}

TEST_P(JournalTest, ATransactionThatFailsLeavesTheJournalAsItWas) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1")); });
  EXPECT_FALSE(Commit([&](Transaction& tx) -> absl::Status {
                 EXPECT_TRUE(tx.DropClaim("c1", "process-1").value());
                 EXPECT_TRUE(tx.PutClaim(MakeClaim("c2")).ok());
                 return absl::InternalError("on order");
               }).ok());
  Look([&](ReadView& view) {
    EXPECT_TRUE(view.FindClaim("c1")->has_value());
    EXPECT_FALSE(view.FindClaim("c2")->has_value());
  });
}

TEST_P(JournalTest, ListsClaimsOfAllWorkspacesInParts) {
  Claim late = MakeClaim("c1");
  late.good_until = absl::FromUnixMicros(9'000'000);
  Write([&](Transaction& tx) { return Put(tx, late); });
  for (const char* id : {"c2", "c1"}) {
    ASSERT_TRUE(Commit(Context("change", "another"), [&](Transaction& tx) { return Put(tx, MakeClaim(id)); }).ok());
  }
  std::vector<std::string> listed;
  ClaimPlace after;
  for (int i = 0; i < 3; ++i) {
    const std::vector<OpenClaim> part = store_->ListClaims(after, 1).value();
    ASSERT_EQ(part.size(), 1U);
    after = {part[0].workspace_id, part[0].claim.id};
    listed.push_back(absl::StrCat(after.workspace_id, "/", after.claim_id));
  }
  EXPECT_THAT(listed, ElementsAre("another/c1", "another/c2", "w/c1"));
  EXPECT_TRUE(store_->ListClaims(after, 1)->empty());
  EXPECT_EQ(store_->ListClaims({}, 10)->back().claim.good_until, late.good_until);
}

Claim MakePart(const std::string& id, const std::string& part_of) {
  Claim part = MakeClaim(id);
  part.part_of = part_of;
  return part;
}

SettledStep MakeStep(int64_t number) {
  SettledStep step;
  step.claim_id = "c1";
  step.number = number;
  step.audit_entry_id = "entry";
  step.tool_id = "tool";
  step.reversible = number != 2;
  step.is_known = number != 3;
  step.changes.effects = {{"kind", std::string("pay\0load", 8)}};
  return step;
}

TEST_P(JournalTest, AClaimMayBePartOfOneThatItsOwnerHolds) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1")); });
  Write([&](Transaction& tx) { return Put(tx, MakePart("c2", "c1")); });
  Look([&](ReadView& view) { EXPECT_EQ((*view.FindClaim("c2"))->part_of, "c1"); });
  EXPECT_EQ(store_->ListClaims({}, 10)->size(), 2U);
  Look([&](ReadView& view) {
    const std::vector<Claim> parts = view.ListClaimParts("c1").value();
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].id, "c2");
    EXPECT_TRUE(view.ListClaimParts("c2")->empty());
    EXPECT_TRUE(view.ListClaimParts("")->empty());
  });
  Write([&](Transaction& tx) {
    EXPECT_EQ(Put(tx, MakePart("c3", "gone")).code(), absl::StatusCode::kAborted);
    Claim another = MakePart("c4", "c1");
    another.owner = "process-2";
    EXPECT_EQ(Put(tx, another).code(), absl::StatusCode::kAborted);
    return absl::OkStatus();
  });
}

TEST_P(JournalTest, AClaimIsNotDroppedBeforeItsParts) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1")); });
  Write([&](Transaction& tx) { return Put(tx, MakePart("c2", "c1")); });
  EXPECT_EQ(Commit([](Transaction& tx) { return tx.DropClaim("c1", "process-1").status(); }).code(),
            absl::StatusCode::kFailedPrecondition);
  Write([&](Transaction& tx) {
    EXPECT_TRUE(tx.DropClaim("c2", "process-1").value());
    EXPECT_TRUE(tx.DropClaim("c1", "process-1").value());
    return absl::OkStatus();
  });
}

TEST_P(JournalTest, KeepsSettledStepsUntilTheyAreTakenBackOrTheClaimGoes) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1")); });
  Write([&](Transaction& tx) {
    for (const int64_t number : {3, 0, 2}) EXPECT_TRUE(tx.PutSettledStep(MakeStep(number), "process-1").value());
    EXPECT_FALSE(tx.PutSettledStep(MakeStep(4), "process-2").value()) << "the claim is another process's";
    return absl::OkStatus();
  });
  Look([&](ReadView& view) {
    const std::vector<SettledStep> steps = view.ListSettledSteps("c1").value();
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0].number, 0);
    EXPECT_EQ(steps[0].audit_entry_id, "entry");
    EXPECT_EQ(steps[0].tool_id, "tool");
    EXPECT_TRUE(steps[0].reversible && steps[0].is_known);
    ASSERT_EQ(steps[0].changes.effects.size(), 1U);
    EXPECT_EQ(steps[0].changes.effects[0].payload, std::string("pay\0load", 8));
    EXPECT_FALSE(steps[1].reversible);
    EXPECT_FALSE(steps[2].is_known);
    EXPECT_TRUE(view.ListSettledSteps("c2")->empty());
  });
  Write([&](Transaction& tx) {
    EXPECT_TRUE(tx.DropSettledStep("c1", 2).ok());
    EXPECT_EQ(tx.ListSettledSteps("c1")->size(), 2U);
    EXPECT_TRUE(tx.TakeOverClaim("c1", "process-1", "process-2", absl::FromUnixMicros(4)).value());
    EXPECT_EQ(tx.ListSettledSteps("c1")->size(), 2U) << "they are the claim's, whoever owns it";
    EXPECT_TRUE(tx.DropClaim("c1", {"process-2", 1}).value());
    EXPECT_TRUE(tx.ListSettledSteps("c1")->empty());
    return absl::OkStatus();
  });
}

// A handler that was so slow that its process took its claim over from another one.
TEST_P(JournalTest, AnEarlierAttemptOfTheSameOwnerChangesNothing) {
  Write([&](Transaction& tx) { return Put(tx, MakeClaim("c1")); });
  Write([&](Transaction& tx) {
    EXPECT_TRUE(tx.TakeOverClaim("c1", "process-1", "process-2", absl::FromUnixMicros(3)).value());
    EXPECT_FALSE(tx.TakeOverClaim("c1", "process-2", "process-1", absl::FromUnixMicros(4)).value());
    EXPECT_TRUE(tx.TakeOverClaim("c1", {"process-2", 1}, "process-1", absl::FromUnixMicros(4)).value());
    EXPECT_FALSE(tx.RenewClaim("c1", "process-1", absl::FromUnixMicros(5), "late").value());
    EXPECT_FALSE(tx.PutSettledStep(MakeStep(1), "process-1").value());
    EXPECT_FALSE(tx.DropClaim("c1", {"process-1", 1}).value());
    Claim step = MakeClaim("c2");
    step.part_of = "c1";
    EXPECT_EQ(tx.PutClaim(step).code(), absl::StatusCode::kAborted);
    EXPECT_TRUE(tx.PutClaim(step, 2).ok());
    EXPECT_TRUE(tx.DropClaim("c2", "process-1").value());
    EXPECT_TRUE(tx.RenewClaim("c1", {"process-1", 2}, absl::FromUnixMicros(5), "now").value());
    EXPECT_TRUE(tx.PutSettledStep(MakeStep(1), {"process-1", 2}).value());
    EXPECT_TRUE(tx.DropClaim("c1", {"process-1", 2}).value());
    return absl::OkStatus();
  });
}

INSTANTIATE_TEST_SUITE_P(Stores, JournalTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
