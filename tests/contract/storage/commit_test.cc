// All or nothing, isolated, and together.
#include <atomic>
#include <latch>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CommitTest : public StoreTest {
 protected:
  static absl::Status CreateIn(Transaction& transaction, std::string_view id) {
    return transaction
        .CreateBlock({.id = std::string(id), .type = "text", .parent_id = "", .data = R"({"n":0})", .position = {}})
        .status();
  }
};

TEST_P(CommitTest, FailedBodyKeepsNothingAndItsStatusIsTheAnswer) {
  const absl::Status status = Commit([](Transaction& t) {
    EXPECT_TRUE(CreateIn(t, "a").ok());
    EXPECT_TRUE(t.PutDocument("k", "n", "{}").ok());
    return absl::InternalError("broken");
  });
  EXPECT_EQ(status, absl::InternalError("broken"));
  EXPECT_THAT(ChildrenOf(""), IsEmpty());
}

TEST_P(CommitTest, DryRunAnswersAndKeepsNothing) {
  size_t deltas = 0;
  ASSERT_TRUE(store_
                  ->Commit(Context(), CommitMode::kDryRun, never_,
                           [&](Transaction& t) {
                             EXPECT_TRUE(CreateIn(t, "a").ok());
                             deltas = t.changes().blocks.size();
                             return absl::OkStatus();
                           })
                  .ok());
  EXPECT_EQ(deltas, 1u);
  EXPECT_FALSE(Find("a").has_value());
}

TEST_P(CommitTest, BodyDoesNotRunOnceTheCallMustStop) {
  fibers::Cancellation cancellation;
  cancellation.Cancel();
  bool ran = false;
  EXPECT_EQ(CodeOf(store_->Commit(Context(), CommitMode::kDurable, cancellation,
                                  [&](Transaction&) {
                                    ran = true;
                                    return absl::OkStatus();
                                  })),
            "CANCELLED");
  EXPECT_FALSE(ran);
}

TEST_P(CommitTest, ViewIsASnapshot) {
  Create("a", "", R"({"n":1})");
  ASSERT_TRUE(Read([&](ReadView& view) {
                EXPECT_EQ(view.GetBlock("a")->data, R"({"n":1})");
                std::thread writer([&] {
                  EXPECT_TRUE(Commit([](Transaction& t) { return t.UpdateBlock("a", R"({"n":2})").status(); }).ok());
                });
                writer.join();
                EXPECT_EQ(view.GetBlock("a")->data, R"({"n":1})");
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(Find("a")->data, R"({"n":2})");
}

TEST_P(CommitTest, ReadAnswersTheBodysStatus) {
  EXPECT_EQ(Read([](ReadView&) { return absl::AbortedError("mine"); }), absl::AbortedError("mine"));
}

TEST_P(CommitTest, ManyThreadsLoseNothingAndSeeTheirOwnCommits) {
  constexpr int kThreads = 64;
  constexpr int kRounds = 8;
  Create("counter", "", "0");
  std::latch ready(kThreads);
  std::atomic<int> conflicts{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ready.arrive_and_wait();
      for (int round = 0; round < kRounds; ++round) {
        const std::string id = absl::StrCat("b", i, "-", round);
        const absl::Status status = Commit(Context(id), [&](Transaction& t) -> absl::Status {
          const auto counter = t.GetBlock("counter");
          if (!counter.ok()) return counter.status();
          const std::string next = absl::StrCat(std::stoi(counter->data) + 1);
          if (absl::Status updated = t.UpdateBlock("counter", next).status(); !updated.ok()) return updated;
          if (absl::Status created = CreateIn(t, id); !created.ok()) return created;
          if (absl::Status audited = t.AppendAudit(Entry(id)); !audited.ok()) return audited;
          // Every fourth fails after it has written.
          return round % 4 == 3 ? MakeError(ErrorCode::kConflict, "no") : absl::OkStatus();
        });
        if (!status.ok()) ++conflicts;
        EXPECT_EQ(Find(id).has_value(), status.ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr int kKept = kThreads * kRounds * 3 / 4;
  EXPECT_EQ(conflicts.load(), kThreads * kRounds / 4);
  EXPECT_EQ(Find("counter")->data, absl::StrCat(kKept));
  EXPECT_EQ(Find("counter")->version, kKept + 1);
  EXPECT_EQ(ChildrenOf("").size(), kKept + 1u);
  const auto report = store_->VerifyChain("w", {});
  EXPECT_TRUE(report->valid) << report->problem;
  EXPECT_EQ(report->entries_checked, kKept);
}

TEST_P(CommitTest, OneKeyRunsOnceAmongManyThreads) {
  constexpr int kThreads = 32;
  std::latch ready(kThreads);
  std::atomic<int> kept{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ready.arrive_and_wait();
      bool first = false;
      EXPECT_TRUE(Commit([&](Transaction& t) -> absl::Status {
                    const auto stored = t.ClaimIdempotencyKey("alice", "key");
                    if (!stored.ok() || stored->has_value()) return stored.status();
                    first = true;
                    return t.PutOutcome("alice", "key", {"tool", "", "", clock_.Now()});
                  }).ok());
      if (first) ++kept;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept.load(), 1);
}

TEST_P(CommitTest, ReadersSearchersAndWritersRunTogether) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 6; ++i) {
    readers.emplace_back([&, i] {
      while (!stop.load()) {
        if (i % 3 == 0) Search("walrus");
        if (i % 3 == 1) ChildrenOf("");
        if (i % 3 == 2) {
          EXPECT_TRUE(store_->SearchAudit("w", {}, {}).ok());
        }
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    Create(absl::StrCat("b", i), "", R"({"title":"walrus"})");
    ASSERT_TRUE(store_->AppendAudit({Entry(absl::StrCat("e", i))}).ok());
    ASSERT_TRUE(Find(absl::StrCat("b", i)).has_value());
  }
  EXPECT_EQ(Search("walrus").total, 100);
  stop.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
}

TEST_P(CommitTest, StoreIsHealthy) { EXPECT_TRUE(store_->CheckHealth().ok()); }

INSTANTIATE_TEST_SUITE_P(Stores, CommitTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
