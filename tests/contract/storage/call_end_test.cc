// Work for a call ends with the call.
#include <atomic>
#include <functional>
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

// A client that is gone after a number of checks. Thread-safe.
class LeavingClient final : public fibers::CancellationSource {
 public:
  explicit LeavingClient(int looks) : looks_(looks) { cancellation_.Watch(*this); }

  const fibers::Cancellation& cancellation() const { return cancellation_; }
  ReadPatience patience() const { return {&cancellation_}; }
  int seen() const { return seen_.load(); }

 private:
  bool Cancelled() const override { return ++seen_ > looks_; }

  const int looks_;
  mutable std::atomic<int> seen_{0};
  fibers::Cancellation cancellation_;
};

constexpr int kAlways = 1'000'000;
constexpr int kBlocks = 4000;

class CallEndTest : public StoreTest {
 protected:
  using Question = std::function<absl::Status(const ReadPatience&)>;

  void CreateBlocks() {
    ASSERT_TRUE(Commit([](Transaction& t) {
                  for (int i = 0; i < kBlocks; ++i) {
                    const std::string data = absl::StrCat(R"({"title":"walrus","n":)", i, "}");
                    const auto created = t.CreateBlock({absl::StrCat("b", i), "text", "", data, {}});
                    if (!created.ok()) return created.status();
                  }
                  return absl::OkStatus();
                }).ok());
    ASSERT_EQ(Search("walrus").total, kBlocks);
  }
  void AppendLongChain() {
    for (int i = 0; i < 40; ++i) {
      std::vector<v1::AuditEntry> entries;
      for (int j = 0; j < 20; ++j) entries.push_back(Entry(absl::StrCat("e", i, "-", j)));
      ASSERT_TRUE(store_->AppendAudit(entries).ok());
    }
  }
  Question OnView(std::function<absl::Status(ReadView&)> ask) {
    return [this, ask = std::move(ask)](const ReadPatience& patience) { return store_->Read("w", patience, ask); };
  }

  // The question checks for its client again and again, and ends when it has left meanwhile.
  void ExpectEndsWithItsCall(const std::string& name, const Question& question) {
    SCOPED_TRACE(name);
    const LeavingClient stays(kAlways);
    const absl::Status answered = question(stays.patience());
    EXPECT_THAT(CodeOf(answered), ::testing::AnyOf("OK", "NOT_FOUND"));
    ASSERT_GE(stays.seen(), 10);
    // A wait for a server asks from time to time too, so that a later run may ask less often than the first one did.
    constexpr int kLooks = 5;
    const LeavingClient leaves(kLooks);
    EXPECT_EQ(CodeOf(question(leaves.patience())), "CANCELLED");
    EXPECT_LE(leaves.seen(), kLooks + 3);
    // The next call on the same snapshot is not affected.
    EXPECT_EQ(CodeOf(question(stays.patience())), CodeOf(answered));
  }
};

TEST_P(CallEndTest, LongQueriesEndInTheMiddleWhenTheClientLeaves) {
  CreateBlocks();
  ExpectEndsWithItsCall("FindBlocks", OnView([](ReadView& view) {
                          BlockQuery query;
                          query.sort = {{Field::Data({"n"}), true}};
                          query.count_total = true;
                          return view.FindBlocks(query).status();
                        }));
  ExpectEndsWithItsCall("FindBlocks with a filter that nothing satisfies", OnView([](ReadView& view) {
                          BlockQuery query;
                          query.filter = Filter::Compare(Field::Data({"n"}), Filter::Op::kLessThan, -1);
                          return view.FindBlocks(query).status();
                        }));
  ExpectEndsWithItsCall("ListChildren", OnView([](ReadView& view) { return view.ListChildren("", kBlocks).status(); }));
  ExpectEndsWithItsCall("Search", OnView([](ReadView& view) {
                          SearchQuery query;
                          query.text = "walrus";
                          return view.Search(query).status();
                        }));
}

TEST_P(CallEndTest, ReadingTheAuditLogEndsInTheMiddleWhenTheClientLeaves) {
  AppendLongChain();
  ExpectEndsWithItsCall("SearchAudit", [this](const ReadPatience& patience) {
    AuditQuery query;
    query.text = "nowhere";
    return store_->SearchAudit("w", patience, query).status();
  });
  ExpectEndsWithItsCall(
      "GetAudit", [this](const ReadPatience& patience) { return store_->GetAudit("w", patience, "no").status(); });
  ExpectEndsWithItsCall("VerifyChain",
                        [this](const ReadPatience& patience) { return store_->VerifyChain("w", patience).status(); });
}

TEST_P(CallEndTest, NothingIsAnsweredOnceTheDeadlineHasPassed) {
  Create("a", "", R"({"title":"heron"})");
  ASSERT_TRUE(store_->AppendAudit({Entry("e")}).ok());
  const fibers::Cancellation cancellation(clock_, clock_.Monotonic() + absl::Seconds(1));
  const ReadPatience patience{&cancellation};
  EXPECT_EQ(CodeOf(store_->Read("w", patience,
                                [&](ReadView& view) {
                                  EXPECT_TRUE(view.GetBlock("a").ok());
                                  clock_.Advance(absl::Seconds(1));
                                  EXPECT_EQ(CodeOf(view.GetBlock("a").status()), "TIMEOUT");
                                  EXPECT_EQ(CodeOf(view.ListUndoEntries("alice").status()), "TIMEOUT");
                                  EXPECT_EQ(CodeOf(view.ListPendingConfirmations(clock_.Now(), 10, "").status()),
                                            "TIMEOUT");
                                  return view.FindDocument("k", "n").status();
                                })),
            "TIMEOUT");
  EXPECT_EQ(CodeOf(store_->SearchAudit("w", patience, {}).status()), "TIMEOUT");
  EXPECT_EQ(CodeOf(store_->GetAudit("w", patience, "e").status()), "TIMEOUT");
  EXPECT_EQ(CodeOf(store_->VerifyChain("w", patience).status()), "TIMEOUT");
  EXPECT_TRUE(Find("a").has_value());
  EXPECT_TRUE(store_->CheckHealth().ok());
}

TEST_P(CallEndTest, ATransactionEndsInTheMiddleAndKeepsNothing) {
  const LeavingClient client(200);
  int created = 0;
  EXPECT_EQ(
      CodeOf(store_->Commit(Context(), CommitMode::kDurable, client.cancellation(),
                            [&](Transaction& t) {
                              absl::Status status;
                              for (created = 0; status.ok() && created < 1000; ++created) {
                                status = t.CreateBlock({absl::StrCat("b", created), "text", "", "{}", {}}).status();
                              }
                              return status;
                            })),
      "CANCELLED");
  EXPECT_GT(created, 1);
  EXPECT_LT(created, 200);
  EXPECT_THAT(ChildrenOf(""), IsEmpty());
  EXPECT_TRUE(store_->CheckHealth().ok());
  Create("after");
  EXPECT_THAT(ChildrenOf(""), ElementsAre("after"));
}

TEST_P(CallEndTest, AQueryOfATransactionEndsInTheMiddle) {
  CreateBlocks();
  const LeavingClient client(25);
  EXPECT_EQ(CodeOf(store_->Commit(Context("c"), CommitMode::kDurable, client.cancellation(),
                                  [&](Transaction& t) {
                                    EXPECT_TRUE(t.UpdateBlock("b0", "{}").ok());
                                    BlockQuery query;
                                    query.filter = Filter::Compare(Field::Data({"n"}), Filter::Op::kLessThan, -1);
                                    const absl::Status found = t.FindBlocks(query).status();
                                    EXPECT_EQ(CodeOf(found), "CANCELLED");
                                    return found;
                                  })),
            "CANCELLED");
  EXPECT_NE(Find("b0")->data, "{}");
  EXPECT_TRUE(store_->CheckHealth().ok());
}

TEST_P(CallEndTest, ACallThatEndsTakesNobodyElsesCommitAlong) {
  CreateBlocks();
  constexpr int kThreads = 16;
  std::latch ready(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const bool leaves = i % 2 == 0;
      const LeavingClient client(leaves ? 25 : kAlways);
      const std::string id = absl::StrCat("t", i);
      ready.arrive_and_wait();
      EXPECT_EQ(CodeOf(store_->Commit(Context(id), CommitMode::kDurable, client.cancellation(),
                                      [&](Transaction& t) -> absl::Status {
                                        const auto created = t.CreateBlock({id, "text", "p", "{}", {}});
                                        EXPECT_EQ(CodeOf(created.status()), "NOT_FOUND");
                                        const auto block = t.CreateBlock({id, "text", "", "{}", {}});
                                        if (!block.ok()) return block.status();
                                        BlockQuery query;
                                        query.filter = Filter::Compare(Field::Data({"n"}), Filter::Op::kLessThan, -1);
                                        return t.FindBlocks(query).status();
                                      })),
                leaves ? "CANCELLED" : "OK");
      EXPECT_EQ(Find(id).has_value(), !leaves);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(store_->CheckHealth().ok());
}

TEST_P(CallEndTest, APartOfATransactionIsTakenBackThoughTheCallIsOver) {
  fibers::Cancellation cancellation;
  EXPECT_EQ(CodeOf(store_->Commit(Context(), CommitMode::kDryRun, cancellation,
                                  [&](Transaction& t) {
                                    const absl::Status part = t.Nested([&] {
                                      EXPECT_TRUE(t.CreateBlock({"a", "text", "", "{}", {}}).ok());
                                      cancellation.Cancel();
                                      return t.GetBlock("a").status();
                                    });
                                    EXPECT_EQ(CodeOf(part), "CANCELLED");
                                    EXPECT_THAT(t.changes().blocks, IsEmpty());
                                    return part;
                                  })),
            "CANCELLED");
  Create("a");
}

INSTANTIATE_TEST_SUITE_P(Stores, CallEndTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
