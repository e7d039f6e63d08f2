// Confirmations, outcomes under idempotency keys, documents and secrets.
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = Confirmation::State;

class RecordsTest : public StoreTest {
 protected:
  absl::Status PutConfirmation(std::string_view id, absl::Duration lifetime = absl::Minutes(5),
                               std::string_view user = "alice") {
    Confirmation confirmation;
    confirmation.id = id;
    confirmation.user_id = user;
    confirmation.tool_id = "delete_block";
    confirmation.digest = std::string("\0\1\2", 3);
    confirmation.summary = "Delete it";
    confirmation.arguments_json = R"({"blockId":"a"})";
    confirmation.conversation_id = "talk";
    confirmation.created_at = clock_.Now();
    confirmation.expires_at = clock_.Now() + lifetime;
    return Commit([&](Transaction& t) { return t.PutConfirmation(confirmation); });
  }
  std::vector<std::string> Pending(std::string_view after = "", std::string_view workspace = "w", int64_t limit = 10) {
    std::vector<std::string> ids;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto pending = view.ListPendingConfirmations(clock_.Now(), limit, after);
                      for (const Confirmation& confirmation : *pending) ids.push_back(confirmation.id);
                      return pending.status();
                    },
                    workspace)
                    .ok());
    return ids;
  }
  bool Transition(std::string_view id, State from, State to, std::string_view workspace = "w") {
    bool moved = false;
    EXPECT_TRUE(Commit(Context("c", workspace), [&](Transaction& t) {
                  const auto result = t.TransitionConfirmation(id, from, to, "bob");
                  moved = result.ok() && *result;
                  return result.status();
                }).ok());
    return moved;
  }
  absl::Status Keep(std::string_view id, std::string_view data, std::string_view user = "alice",
                    std::string_view workspace = "w", bool untrusted = false) {
    return Commit(Context("c", workspace), [&](Transaction& t) {
      return t.KeepResult(
          {std::string(id), std::string(user), "get_block", std::string(data), untrusted, clock_.Now()});
    });
  }
  std::optional<KeptPart> Kept(std::string_view id, int64_t offset, int64_t length, std::string_view user = "alice",
                               std::string_view workspace = "w") {
    std::optional<KeptPart> part;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto read = view.ReadKeptResult(user, id, offset, length, clock_.Now());
                      if (read.ok()) part = *read;
                      return read.status();
                    },
                    workspace)
                    .ok());
    return part;
  }
  // The user's outcome under the key, claimed and stored if there is none.
  std::string Outcome(std::string_view key, std::string_view fresh, std::string_view user = "alice",
                      std::string_view workspace = "w") {
    std::string response;
    EXPECT_TRUE(Commit(Context("c", workspace), [&](Transaction& t) -> absl::Status {
                  const auto stored = t.ClaimIdempotencyKey(user, key);
                  if (!stored.ok()) return stored.status();
                  if (stored->has_value()) {
                    response = (*stored)->response;
                    return absl::OkStatus();
                  }
                  response = fresh;
                  return t.PutOutcome(user, key, {"tool", std::string(32, '\1'), std::string(fresh), clock_.Now()});
                }).ok());
    return response;
  }
};

TEST_P(RecordsTest, ConfirmationKeepsEverything) {
  ASSERT_TRUE(PutConfirmation("k").ok());
  ASSERT_TRUE(Read([&](ReadView& view) {
                const auto found = view.FindConfirmation("k");
                EXPECT_TRUE(found.ok() && found->has_value());
                EXPECT_EQ((*found)->user_id, "alice");
                EXPECT_EQ((*found)->tool_id, "delete_block");
                EXPECT_EQ((*found)->digest, std::string("\0\1\2", 3));
                EXPECT_EQ((*found)->summary, "Delete it");
                EXPECT_EQ((*found)->arguments_json, R"({"blockId":"a"})");
                EXPECT_EQ((*found)->conversation_id, "talk");
                EXPECT_EQ((*found)->state, State::kPending);
                EXPECT_EQ((*found)->created_at, clock_.Now());
                EXPECT_EQ((*found)->expires_at, clock_.Now() + absl::Minutes(5));
                EXPECT_FALSE(view.FindConfirmation("other")->has_value());
                return absl::OkStatus();
              }).ok());
}

TEST_P(RecordsTest, ConfirmationMovesOnlyFromTheExpectedState) {
  ASSERT_TRUE(PutConfirmation("k").ok());
  EXPECT_FALSE(Transition("k", State::kApproved, State::kUsed));
  EXPECT_TRUE(Transition("k", State::kPending, State::kApproved));
  EXPECT_FALSE(Transition("k", State::kPending, State::kDenied));
  EXPECT_TRUE(Transition("k", State::kApproved, State::kUsed));
  EXPECT_FALSE(Transition("k", State::kApproved, State::kUsed));
  EXPECT_FALSE(Transition("ghost", State::kPending, State::kApproved));
  ASSERT_TRUE(Read([](ReadView& view) {
                EXPECT_EQ((*view.FindConfirmation("k"))->state, State::kUsed);
                EXPECT_EQ((*view.FindConfirmation("k"))->decided_by, "bob");
                return absl::OkStatus();
              }).ok());
}

TEST_P(RecordsTest, PendingConfirmationsAreOldestFirstAndNeitherDecidedNorExpired) {
  for (const char* id : {"z", "a", "m"}) {
    ASSERT_TRUE(PutConfirmation(id).ok());
    clock_.Advance(absl::Seconds(1));
  }
  ASSERT_TRUE(PutConfirmation("brief", absl::Seconds(1)).ok());
  ASSERT_TRUE(PutConfirmation("decided").ok());
  ASSERT_TRUE(Transition("decided", State::kPending, State::kDenied));
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(Pending(), ElementsAre("z", "a", "m"));
  EXPECT_THAT(Pending("", "w", 2), ElementsAre("z", "a"));
  EXPECT_THAT(Pending("z"), ElementsAre("a", "m"));
  EXPECT_THAT(Pending("", "other"), IsEmpty());
  clock_.Advance(absl::Minutes(6));
  EXPECT_THAT(Pending(), IsEmpty());
}

TEST_P(RecordsTest, PendingConfirmationsAreCountedByUserAndWorkspace) {
  const auto count = [&](std::string_view user, std::string_view workspace = "w") {
    PendingConfirmations pending;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto counted = view.CountPendingConfirmations(clock_.Now(), user);
                      pending = counted.value_or(PendingConfirmations());
                      return counted.status();
                    },
                    workspace)
                    .ok());
    return pending;
  };
  EXPECT_EQ(count("alice").next_expiry, absl::InfiniteFuture());
  ASSERT_TRUE(PutConfirmation("a").ok());
  ASSERT_TRUE(PutConfirmation("b", absl::Minutes(2), "bob").ok());
  ASSERT_TRUE(PutConfirmation("brief", absl::Seconds(1)).ok());
  ASSERT_TRUE(PutConfirmation("decided").ok());
  ASSERT_TRUE(Transition("decided", State::kPending, State::kDenied));
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(count("alice").in_workspace, 2);
  EXPECT_EQ(count("alice").of_user, 1);
  EXPECT_EQ(count("carol").of_user, 0);
  EXPECT_EQ(count("alice").next_expiry, clock_.Now() + absl::Minutes(2) - absl::Seconds(1));
  EXPECT_EQ(count("bob").next_expiry_of_user, clock_.Now() + absl::Minutes(2) - absl::Seconds(1));
  EXPECT_GT(count("alice").next_expiry_of_user, count("alice").next_expiry);
  EXPECT_EQ(count("carol").next_expiry_of_user, absl::InfiniteFuture());
  EXPECT_EQ(count("alice", "other").in_workspace, 0);
  ASSERT_TRUE(Commit([&](Transaction& t) {
                Confirmation another;
                another.id = "c";
                another.user_id = "alice";
                another.created_at = clock_.Now();
                another.expires_at = clock_.Now() + absl::Minutes(1);
                const absl::Status put = t.PutConfirmation(another);
                EXPECT_EQ(t.CountPendingConfirmations(clock_.Now(), "alice")->of_user, 2)
                    << "a transaction sees its own";
                return put;
              }).ok());
}

TEST_P(RecordsTest, ListingGoesOnAfterAConfirmationThatWasDecidedMeanwhile) {
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_TRUE(PutConfirmation(id).ok());
    clock_.Advance(absl::Seconds(1));
  }
  ASSERT_TRUE(Transition("a", State::kPending, State::kApproved));
  EXPECT_THAT(Pending("a"), ElementsAre("b", "c"));
}

TEST_P(RecordsTest, ConfirmationsBelongToOneWorkspace) {
  ASSERT_TRUE(PutConfirmation("k").ok());
  EXPECT_FALSE(Transition("k", State::kPending, State::kApproved, "other"));
  ASSERT_TRUE(Read(
                  [](ReadView& view) {
                    EXPECT_FALSE(view.FindConfirmation("k")->has_value());
                    return absl::OkStatus();
                  },
                  "other")
                  .ok());
}

TEST_P(RecordsTest, AKeptResultIsReadInPieces) {
  ASSERT_TRUE(Keep("k", "0123456789", "alice", "w", /*untrusted=*/true).ok());
  const auto piece = [&](int64_t offset, int64_t length) {
    return Kept("k", offset, length).value_or(KeptPart()).bytes;
  };
  EXPECT_EQ(piece(0, 100), "0123456789");
  EXPECT_EQ(piece(3, 4), "3456");
  EXPECT_EQ(piece(8, 4), "89");
  EXPECT_EQ(piece(10, 4), "");
  EXPECT_EQ(piece(int64_t{1} << 60, 4), "");
  const KeptPart part = Kept("k", 3, 4).value();
  EXPECT_EQ(part.tool_id, "get_block");
  EXPECT_EQ(part.total_bytes, 10);
  EXPECT_TRUE(part.untrusted);
}

TEST_P(RecordsTest, AKeptResultHoldsAnyBytes) {
  const std::string bytes("\0\xff€", 5);
  ASSERT_TRUE(Keep("k", bytes).ok());
  EXPECT_EQ(Kept("k", 0, 9)->bytes, bytes);
  EXPECT_EQ(Kept("k", 2, 2)->bytes, bytes.substr(2, 2));
}

TEST_P(RecordsTest, AKeptResultBelongsToOneUserInOneWorkspaceForADay) {
  ASSERT_TRUE(Keep("k", "text").ok());
  EXPECT_FALSE(Kept("other", 0, 9).has_value());
  EXPECT_FALSE(Kept("k", 0, 9, "bob").has_value());
  EXPECT_FALSE(Kept("k", 0, 9, "alice", "other").has_value());
  clock_.Advance(kKeptResultLifetime - absl::Seconds(1));
  EXPECT_TRUE(Kept("k", 0, 9).has_value());
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(Kept("k", 0, 9).has_value());
}

TEST_P(RecordsTest, TheNewestKeptResultsOfAUserStayWithinTheirBound) {
  const std::string third(static_cast<size_t>(kMaxKeptBytes / 3), 'x');
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(Keep(id, third).ok());
  ASSERT_TRUE(Keep("bobs", third, "bob").ok());
  EXPECT_TRUE(Kept("a", 0, 1).has_value());
  ASSERT_TRUE(Keep("d", third).ok());
  EXPECT_FALSE(Kept("a", 0, 1).has_value());
  for (const char* id : {"b", "c", "d"}) EXPECT_TRUE(Kept(id, 0, 1).has_value()) << id;
  EXPECT_TRUE(Kept("bobs", 0, 1, "bob").has_value());
  ASSERT_TRUE(Keep("whole", std::string(static_cast<size_t>(kMaxKeptBytes), 'x')).ok());
  EXPECT_FALSE(Kept("d", 0, 1).has_value());
  EXPECT_TRUE(Kept("whole", kMaxKeptBytes - 1, 1).has_value());
  EXPECT_FALSE(Keep("more", std::string(static_cast<size_t>(kMaxKeptBytes) + 1, 'x')).ok());
  EXPECT_TRUE(Kept("whole", 0, 1).has_value());
}

TEST_P(RecordsTest, OutcomeIsAnsweredAgainForADay) {
  EXPECT_EQ(Outcome("key", "first"), "first");
  EXPECT_EQ(Outcome("key", "second"), "first");
  clock_.Advance(absl::Hours(24) - absl::Seconds(1));
  EXPECT_EQ(Outcome("key", "third"), "first");
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Outcome("key", "fourth"), "fourth");
  EXPECT_EQ(Outcome("key", "fifth"), "fourth");
}

TEST_P(RecordsTest, OutcomesBelongToOneUserInOneWorkspace) {
  EXPECT_EQ(Outcome("key", "first"), "first");
  EXPECT_EQ(Outcome("key", "bob's", "bob"), "bob's");
  EXPECT_EQ(Outcome("key", "other's", "alice", "other"), "other's");
  EXPECT_EQ(Outcome("other", "again"), "again");
}

TEST_P(RecordsTest, OutcomeKeepsEverything) {
  Outcome("key", std::string("\0bytes", 6));
  ASSERT_TRUE(Read([&](ReadView& view) {
                const auto found = view.FindOutcome("alice", "key", clock_.Now());
                EXPECT_TRUE(found.ok() && found->has_value());
                EXPECT_EQ((*found)->tool_id, "tool");
                EXPECT_EQ((*found)->arguments_digest, std::string(32, '\1'));
                EXPECT_EQ((*found)->response, std::string("\0bytes", 6));
                EXPECT_EQ((*found)->created_at, clock_.Now());
                EXPECT_FALSE(view.FindOutcome("alice", "key", clock_.Now() + absl::Hours(24))->has_value());
                return absl::OkStatus();
              }).ok());
}

TEST_P(RecordsTest, OutcomeNeedsAClaim) {
  EXPECT_EQ(Commit([](Transaction& t) { return t.PutOutcome("alice", "key", {}); }).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(RecordsTest, FailedTransactionReleasesItsKey) {
  EXPECT_EQ(CodeOf(Commit([](Transaction& t) -> absl::Status {
              EXPECT_TRUE(t.ClaimIdempotencyKey("alice", "key").ok());
              EXPECT_TRUE(t.PutOutcome("alice", "key", {}).ok());
              return MakeError(ErrorCode::kConflict, "no");
            })),
            "CONFLICT");
  EXPECT_EQ(Outcome("key", "fresh"), "fresh");
}

TEST_P(RecordsTest, DocumentsAreStoredReplacedAndDeleted) {
  const auto find = [&](std::string_view kind, std::string_view name, std::string_view workspace = "w") {
    std::string json = "nothing";
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto found = view.FindDocument(kind, name);
                      if (found.ok() && found->has_value()) json = **found;
                      return found.status();
                    },
                    workspace)
                    .ok());
    return json;
  };
  EXPECT_EQ(find("instruction", "a"), "nothing");
  ASSERT_TRUE(Commit([](Transaction& t) { return t.PutDocument("instruction", "a", "{}"); }).ok());
  ASSERT_TRUE(Commit([](Transaction& t) { return t.PutDocument("instruction", "a", "{\"n\":1}"); }).ok());
  EXPECT_EQ(find("instruction", "a"), "{\"n\":1}");
  EXPECT_EQ(find("provenance", "a"), "nothing");
  EXPECT_EQ(find("instruction", "a", "other"), "nothing");
  ASSERT_TRUE(Commit(Context("c", "other"), [](Transaction& t) { return t.DeleteDocument("instruction", "a"); }).ok());
  EXPECT_EQ(find("instruction", "a"), "{\"n\":1}");
  ASSERT_TRUE(Commit([](Transaction& t) { return t.DeleteDocument("instruction", "a"); }).ok());
  EXPECT_EQ(find("instruction", "a"), "nothing");
  EXPECT_TRUE(Commit([](Transaction& t) { return t.DeleteDocument("instruction", "a"); }).ok());
}

TEST_P(RecordsTest, FirstSecretUnderANameStays) {
  EXPECT_EQ(*store_->GetOrCreateSecret("key", std::string("\0one", 4)), std::string("\0one", 4));
  EXPECT_EQ(*store_->GetOrCreateSecret("key", "two"), std::string("\0one", 4));
  EXPECT_EQ(*store_->GetOrCreateSecret("other", "three"), "three");
  Reopen();
  EXPECT_EQ(*store_->GetOrCreateSecret("key", "four"), std::string("\0one", 4));
}

INSTANTIATE_TEST_SUITE_P(Stores, RecordsTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
