// Transactions beside the one that writes: they see what is committed and what they changed themselves, hold no one up,
// and leave nothing, in any state of the write-ahead log.
#include "storage/sqlite/rehearsals.h"

#include <memory>
#include <random>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"
#include "storage/snapshot_revoked.h"
#include "storage/sqlite/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/sqlite_test_store.h"
#include "tests/support/store_options.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::sqlite {
namespace {

class RehearsalsTest : public ::testing::Test {
 protected:
  RehearsalsTest() { Open({}); }

  void Open(const std::function<void(SqliteStore::Options&)>& change) {
    store_.reset();
    SqliteStore::Options options = testing::StoreOptions();
    options.data_dir = dir_.path();
    options.clock = &clock_;
    options.background = false;
    if (change != nullptr) change(options);
    store_ = testing::SqliteTestStore::Create(options).value();
  }

  absl::Status Run(CommitMode mode, absl::FunctionRef<absl::Status(Transaction&)> body,
                   const std::string& workspace = "w") {
    return store_->Commit({workspace, "ann", absl::StrCat("change", ++changes_), clock_.Now()}, mode,
                          fibers::Cancellation(), body);
  }
  absl::Status Try(absl::FunctionRef<absl::Status(Transaction&)> body) { return Run(CommitMode::kDryRun, body); }
  void Make(const std::string& id, const std::string& text = "x", const std::string& workspace = "w") {
    const absl::Status made = Run(
        CommitMode::kDurable, [&](Transaction& tx) { return MakeIn(tx, id, text); }, workspace);
    ASSERT_TRUE(made.ok()) << made;
  }
  static absl::Status MakeIn(Transaction& tx, const std::string& id, const std::string& text) {
    return tx.CreateBlock({id, "page", "", absl::StrCat(R"({"title":")", text, R"("})"), std::nullopt}).status();
  }
  static bool Has(ReadView& view, const std::string& id) {
    const auto found = view.FindBlock(id);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() && found->has_value();
  }
  static size_t Count(ReadView& view) {
    const auto found = view.ListChildren("", 100'000);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->size() : 0;
  }
  size_t Committed() {
    size_t count = 0;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](ReadView& view) {
                             count = Count(view);
                             return absl::OkStatus();
                           })
                    .ok());
    return count;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<testing::SqliteTestStore> store_;
  int changes_ = 0;
};

TEST_F(RehearsalsTest, SeesWhatIsCommittedAndItsOwnChangesAndLeavesNothing) {
  Make("a");
  const uint64_t commits = store_->commits();
  for (int round = 0; round < 3; ++round) {
    const absl::Status tried = Try([&](Transaction& tx) -> absl::Status {
      EXPECT_TRUE(Has(tx, "a"));
      EXPECT_TRUE(MakeIn(tx, "b", "x").ok());
      EXPECT_TRUE(Has(tx, "b"));
      EXPECT_TRUE(tx.DeleteBlock("a", Children::kDelete).ok());
      EXPECT_FALSE(Has(tx, "a"));
      return absl::OkStatus();
    });
    EXPECT_TRUE(tried.ok()) << tried;
    EXPECT_EQ(Committed(), 1u);
  }
  EXPECT_EQ(store_->commits(), commits);
}

TEST_F(RehearsalsTest, ADatabaseThatIsEmptyStaysEmpty) {
  EXPECT_TRUE(Try([](Transaction& tx) { return MakeIn(tx, "a", "x"); }).ok());
  EXPECT_EQ(Committed(), 0u);
  Make("a");
  EXPECT_EQ(Committed(), 1u);
}

TEST_F(RehearsalsTest, APartThatFailsIsTakenBackWithinIt) {
  const absl::Status tried = Try([&](Transaction& tx) -> absl::Status {
    EXPECT_TRUE(MakeIn(tx, "a", "x").ok());
    EXPECT_FALSE(tx.Nested([&] {
                     EXPECT_TRUE(MakeIn(tx, "b", "x").ok());
                     return absl::InternalError("no");
                   }).ok());
    EXPECT_TRUE(Has(tx, "a"));
    EXPECT_FALSE(Has(tx, "b"));
    return absl::OkStatus();
  });
  EXPECT_TRUE(tried.ok()) << tried;
}

// Commits go on while it runs, and it does not see them.
TEST_F(RehearsalsTest, HoldsUpNoCommit) {
  Make("a");
  const absl::Status tried = Try([&](Transaction& tx) -> absl::Status {
    EXPECT_TRUE(MakeIn(tx, "mine", "x").ok());
    for (int i = 0; i < 50; ++i) Make(absl::StrCat("other", i), std::string(5000, 'x'));
    EXPECT_EQ(Count(tx), 2u);
    EXPECT_TRUE(MakeIn(tx, "mine too", "x").ok());
    EXPECT_EQ(Count(tx), 3u);
    return absl::OkStatus();
  });
  EXPECT_TRUE(tried.ok()) << tried;
  EXPECT_EQ(Committed(), 51u);
  EXPECT_TRUE(Try([&](Transaction& tx) {
                EXPECT_EQ(Count(tx), 51u);
                return absl::OkStatus();
              }).ok());
}

TEST_F(RehearsalsTest, SeveralRunBesideEachOther) {
  Make("a");
  const absl::Status outer = Try([&](Transaction& tx) {
    EXPECT_TRUE(MakeIn(tx, "b", "x").ok());
    const absl::Status inner = Try([&](Transaction& other) {
      EXPECT_FALSE(Has(other, "b"));
      return MakeIn(other, "b", "y");
    });
    EXPECT_TRUE(inner.ok()) << inner;
    EXPECT_EQ(Count(tx), 2u);
    return absl::OkStatus();
  });
  EXPECT_TRUE(outer.ok()) << outer;
}

TEST_F(RehearsalsTest, FindsByWordsWhatItMade) {
  Make("a", "whales");
  const absl::Status tried = Try([&](Transaction& tx) -> absl::Status {
    EXPECT_TRUE(MakeIn(tx, "b", "whales too").ok());
    SearchQuery query;
    query.text = "whales";
    query.limit = 10;
    const auto page = tx.Search(query);
    EXPECT_TRUE(page.ok()) << page.status();
    EXPECT_EQ(page->hits.size(), 2u);
    return absl::OkStatus();
  });
  EXPECT_TRUE(tried.ok()) << tried;
}

// More than SQLite's cache holds: nothing of it may reach the log.
TEST_F(RehearsalsTest, ALargeOneStaysInMemory) {
  Open([](SqliteStore::Options& options) { options.cache_kib = 16; });
  const absl::Status tried = Try([&](Transaction& tx) -> absl::Status {
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(MakeIn(tx, absl::StrCat("b", i), std::string(20'000, 'x')).ok());
    EXPECT_EQ(Count(tx), 500u);
    return absl::OkStatus();
  });
  EXPECT_TRUE(tried.ok()) << tried;
  EXPECT_EQ(Committed(), 0u);
}

// The log is emptied and begun anew between, before and after; some transactions run while others commit.
TEST_F(RehearsalsTest, IsRightInEveryStateOfTheLog) {
  Open([](SqliteStore::Options& options) { options.log_limit = 64 << 10; });
  std::mt19937 random(7);
  size_t blocks = 0;
  for (int round = 0; round < 300; ++round) {
    const unsigned what = random() % 4;
    if (what == 0) {
      const absl::Status kept = store_->Maintain();
      ASSERT_TRUE(kept.ok()) << kept;
    }
    for (unsigned i = 0; i < random() % 4; ++i) Make(absl::StrCat("b", blocks++), std::string(random() % 9000, 'x'));
    const absl::Status tried = Try([&](Transaction& tx) -> absl::Status {
      EXPECT_EQ(Count(tx), blocks);
      EXPECT_TRUE(MakeIn(tx, "mine", std::string(random() % 9000, 'y')).ok());
      const size_t before = blocks;
      for (unsigned i = 0; i < random() % 3; ++i) Make(absl::StrCat("b", blocks++), std::string(random() % 9000, 'x'));
      EXPECT_EQ(Count(tx), before + 1);
      return absl::OkStatus();
    });
    ASSERT_TRUE(tried.ok()) << tried;
    ASSERT_EQ(Committed(), blocks) << "in round " << round;
  }
}

TEST_F(RehearsalsTest, IsRightWhileOthersWriteOnOtherThreads) {
  Open([](SqliteStore::Options& options) {
    options.log_limit = 256 << 10;
    options.background = true;
  });
  absl::Notification stop;
  std::thread writer([&] {
    for (int i = 0; !stop.HasBeenNotified(); ++i) {
      // Always two together.
      const absl::Status made = store_->Commit(
          {"w", "bob", absl::StrCat("bob", i), clock_.Now()}, CommitMode::kDurable, fibers::Cancellation(),
          [&](Transaction& tx) -> absl::Status {
            if (const absl::Status first = MakeIn(tx, absl::StrCat("p", i), std::string(3000, 'x')); !first.ok()) {
              return first;
            }
            return MakeIn(tx, absl::StrCat("q", i), std::string(3000, 'x'));
          });
      EXPECT_TRUE(made.ok()) << made;
    }
  });
  size_t last = 0;
  // A snapshot that lasts while much is written may be revoked, and on a slow machine is.
  const auto count_children = [](Transaction& tx) -> absl::StatusOr<size_t> {
    const auto found = tx.ListChildren("", 100'000);
    if (!found.ok()) return found.status();
    return found->size();
  };
  int whole = 0;
  for (int i = 0; whole < 200 || last < 40; ++i) {
    const absl::Status tried = Try([&](Transaction& tx) -> absl::Status {
      const absl::StatusOr<size_t> count = count_children(tx);
      if (!count.ok()) return count.status();
      EXPECT_EQ(*count % 2, 0u);
      EXPECT_GE(*count, last);
      last = *count;
      if (const absl::Status made = MakeIn(tx, "mine", "x"); !made.ok()) return made;
      const absl::StatusOr<size_t> then = count_children(tx);
      EXPECT_TRUE(!then.ok() || *then == *count + 1);
      return then.status();
    });
    EXPECT_TRUE(tried.ok() || IsSnapshotRevoked(tried)) << tried;
    if (tried.ok()) ++whole;
    ASSERT_LT(i, 5000);
  }
  stop.Notify();
  writer.join();
}

}  // namespace
}  // namespace toolgate::storage::sqlite
