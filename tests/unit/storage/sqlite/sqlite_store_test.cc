// Guarantees of the SQLite store alone: batches, failing disks, its files, and detection of tampering.
#include "storage/sqlite/sqlite_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/change_bound.h"
#include "storage/snapshot_revoked.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/schema.h"
#include "tests/support/fake_clock.h"
#include "tests/support/source_dir.h"
#include "tests/support/sqlite_test_store.h"
#include "tests/support/store_options.h"
#include "tests/support/temp_dir.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::sqlite {
namespace {

using ::testing::HasSubstr;
using ::toolgate::testing::FakeClock;
using ::toolgate::testing::TempDir;

// Runs an action whenever a wait checks whether it should end.
class Interruption final : public fibers::CancellationSource {
 public:
  explicit Interruption(std::function<bool()> cancelled) : cancelled_(std::move(cancelled)) {}
  bool Cancelled() const override { return cancelled_(); }

 private:
  const std::function<bool()> cancelled_;
};

class SqliteStoreTest : public ::testing::Test {
 protected:
  SqliteStoreTest() {
    options_.data_dir = dir_.path() + "/data";
    options_.clock = &clock_;
    options_.background = false;
  }
  void Open() {
    store_.reset();
    auto store = testing::SqliteTestStore::Create(options_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  std::string path() const { return options_.data_dir + "/toolgate.db"; }

  absl::Status Create(std::string_view id, std::string_view data = "{}") {
    const WriteContext context{"w", "alice", std::string(id), clock_.Now()};
    return store_->Commit(context, CommitMode::kDurable, never_, [&](Transaction& transaction) {
      return transaction
          .CreateBlock(
              {.id = std::string(id), .type = "text", .parent_id = "", .data = std::string(data), .position = {}})
          .status();
    });
  }
  bool Has(std::string_view id) {
    bool has = false;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](ReadView& view) {
                             has = view.FindBlock(id)->has_value();
                             return absl::OkStatus();
                           })
                    .ok());
    return has;
  }
  // Blocks that the search index has not read yet, in one transaction.
  void CreateMany(std::string_view prefix, int count) {
    const WriteContext context{"w", "alice", std::string(prefix), clock_.Now()};
    const absl::Status status =
        store_->Commit(context, CommitMode::kDurable, never_, [&](Transaction& transaction) -> absl::Status {
          for (int i = 0; i < count; ++i) {
            const std::string id = absl::StrCat(std::string(prefix), i);
            const auto created = transaction.CreateBlock({id, "text", "", R"({"title":"walrus"})", {}});
            if (!created.ok()) return created.status();
          }
          return absl::OkStatus();
        });
    ASSERT_TRUE(status.ok()) << status;
  }
  // Walruses that a search finds.
  static absl::StatusOr<int64_t> CountWalruses(ReadView& view) {
    SearchQuery query;
    query.text = "walrus";
    const absl::StatusOr<SearchPage> page = view.Search(query);
    if (!page.ok()) return page.status();
    return page->total;
  }
  // The first column of the first row, read behind the store's back.
  int64_t Ask(const char* sql) {
    const auto connection = Connection::Open(path(), {});
    Cursor cursor = (*connection)->Use(sql);
    EXPECT_TRUE(cursor.Step().ok());
    return cursor.Int(0);
  }
  void AppendAudit(int first, int count) {
    std::vector<v1::AuditEntry> entries;
    for (int i = first; i < first + count; ++i) {
      v1::AuditEntry entry;
      entry.set_id(absl::StrCat("entry-", i));
      entry.set_workspace_id("w");
      entry.set_user_id("alice");
      entry.mutable_timestamp()->set_seconds(1000 + i);
      entries.push_back(entry);
    }
    ASSERT_TRUE(store_->AppendAudit(entries).ok());
  }
  // Changes the file behind the store's back.
  void Tamper(const std::string& sql) {
    store_.reset();
    const auto connection = Connection::Open(path(), {});
    ASSERT_TRUE(connection.ok());
    const absl::Status status = (*connection)->Execute(sql.c_str());
    ASSERT_TRUE(status.ok()) << status;
  }
  // Changes one letter of an entry's stored text.
  void FlipByteOf(std::string_view text) {
    store_.reset();
    const auto connection = Connection::Open(path(), {});
    ASSERT_TRUE(connection.ok());
    std::vector<std::pair<int64_t, std::string>> payloads;
    {
      Cursor cursor = (*connection)->Use("SELECT row, payload FROM audit_segments");
      while (*cursor.Step()) payloads.emplace_back(cursor.Int(0), cursor.Blob(1));
    }
    for (auto& [row, payload] : payloads) {
      const size_t place = payload.find(text);
      if (place == std::string::npos) continue;
      payload[place] ^= 1;
      Cursor update = (*connection)->Use("UPDATE audit_segments SET payload = ? WHERE row = ?");
      ASSERT_TRUE(update.BindBlob(payload).Bind(row).Run().ok());
    }
  }
  ChainReport Verify() {
    const auto report = store_->VerifyChain("w", {});
    EXPECT_TRUE(report.ok()) << report.status();
    return *report;
  }

  TempDir dir_;
  FakeClock clock_;
  SqliteStore::Options options_ = testing::StoreOptions();
  std::unique_ptr<testing::SqliteTestStore> store_;
  fibers::Cancellation never_;
};

TEST_F(SqliteStoreTest, ConcurrentMutationsShareACommit) {
  Open();
  ASSERT_TRUE(Create("first").ok());
  const uint64_t before = store_->commits();
  constexpr int kFollowers = 32;
  absl::Mutex mutex;
  int arrived = 0;
  std::vector<std::thread> followers;
  // The leader's body waits until every follower is about to commit, and a reader of the queue would see them wait.
  const WriteContext context{"w", "alice", "leader", clock_.Now()};
  ASSERT_TRUE(store_
                  ->Commit(context, CommitMode::kDurable, never_,
                           [&](Transaction& transaction) {
                             for (int i = 0; i < kFollowers; ++i) {
                               followers.emplace_back([&, i] {
                                 {
                                   absl::MutexLock lock(&mutex);
                                   ++arrived;
                                 }
                                 EXPECT_TRUE(Create(absl::StrCat("f", i)).ok());
                               });
                             }
                             absl::MutexLock lock(&mutex);
                             const auto all = [&] { return arrived == kFollowers; };
                             mutex.Await(absl::Condition(&all));
                             return transaction.PutDocument("k", "n", "{}");
                           })
                  .ok());
  for (std::thread& follower : followers) follower.join();
  for (int i = 0; i < kFollowers; ++i) EXPECT_TRUE(Has(absl::StrCat("f", i)));
  // One for the leader and, at worst, a few for stragglers.
  EXPECT_LT(store_->commits() - before, kFollowers / 2);
}

TEST_F(SqliteStoreTest, BatchIsBounded) {
  options_.max_batch = 1;
  Open();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { EXPECT_TRUE(Create(absl::StrCat("b", i)).ok()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_->commits(), 8u);
}

TEST_F(SqliteStoreTest, FullDiskLeavesTheStoreAsItWasAndLaterCommitsWork) {
  options_.max_pages = 120;
  Open();
  ASSERT_TRUE(Create("small").ok());
  const absl::Status status = Create("huge", absl::StrCat("{\"t\":\"", std::string(1 << 20, 'x'), "\"}"));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_FALSE(GetToolError(status).has_value());
  EXPECT_THAT(std::string(status.message()), HasSubstr("disk is full"));
  EXPECT_FALSE(Has("huge"));
  EXPECT_TRUE(Create("after").ok());
  EXPECT_TRUE(Has("small"));
  EXPECT_TRUE(Has("after"));
  EXPECT_TRUE(store_->CheckHealth().ok());
}

TEST_F(SqliteStoreTest, OneTooBigForTheDiskDoesNotTakeItsBatchAlong) {
  options_.max_pages = 120;
  Open();
  std::vector<std::thread> threads;
  std::latch ready(9);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      ready.arrive_and_wait();
      EXPECT_TRUE(Create(absl::StrCat("b", i)).ok());
    });
  }
  threads.emplace_back([&] {
    ready.arrive_and_wait();
    EXPECT_EQ(Create("huge", std::string(1 << 20, 'x')).code(), absl::StatusCode::kResourceExhausted);
  });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(Has(absl::StrCat("b", i)));
}

TEST_F(SqliteStoreTest, DirectoryBelongsToOneStoreAtATime) {
  Open();
  const auto second = testing::SqliteTestStore::Create(options_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("another toolgate process is using"));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(options_.data_dir));
  Open();
}

TEST_F(SqliteStoreTest, DirectoryThatCannotBeMadeIsNamedWithTheRemedy) {
  std::ofstream(dir_.path() + "/file") << "no directory";
  options_.data_dir = dir_.path() + "/file/data";
  const auto store = testing::SqliteTestStore::Create(options_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr(options_.data_dir));
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("--data-dir"));
}

TEST_F(SqliteStoreTest, FilesAreReadableByTheOwnerAlone) {
  Open();
  struct stat info;
  ASSERT_EQ(stat(options_.data_dir.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0077, 0u);
}

// A mapping would be made anew in each reader after each commit.
TEST_F(SqliteStoreTest, ReadersDoNotMapTheDatabase) {
  Open();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(store_->Maintain().ok());  // So that the database has the block, and not only the log.
  ASSERT_TRUE(Create("b").ok());
  ASSERT_TRUE(Has("a"));
  std::ifstream maps("/proc/self/maps");
  bool index_is_mapped = false;
  for (std::string line; std::getline(maps, line);) {
    EXPECT_FALSE(absl::EndsWith(line, path())) << line;
    index_is_mapped |= absl::EndsWith(line, path() + "-shm");
  }
  EXPECT_TRUE(index_is_mapped)
      << "the log's index, which SQLite always maps: so the paths are what this test looks for";
}

TEST_F(SqliteStoreTest, NewerDatabaseIsRefused) {
  Open();
  Tamper("PRAGMA user_version = 99");
  const auto store = testing::SqliteTestStore::Create(options_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("schema version 99"));
}

TEST_F(SqliteStoreTest, ForeignDatabaseIsRefusedAndLeftAlone) {
  std::filesystem::create_directories(options_.data_dir);
  {
    const auto connection = Connection::Open(path(), {.create = true});
    ASSERT_TRUE((*connection)->Execute("CREATE TABLE recipes (name TEXT)").ok());
  }
  const auto store = testing::SqliteTestStore::Create(options_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("not made by toolgate"));
}

TEST_F(SqliteStoreTest, DamagedFileIsDataLoss) {
  std::filesystem::create_directories(options_.data_dir);
  std::ofstream(path()) << std::string(8192, 'x');
  EXPECT_EQ(testing::SqliteTestStore::Create(options_).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SqliteStoreTest, BackupIsAWholeStore) {
  Open();
  ASSERT_TRUE(Create("a").ok());
  AppendAudit(1, 3);
  std::filesystem::create_directories(dir_.path() + "/copy");
  const std::string copy = dir_.path() + "/copy/toolgate.db";
  ASSERT_TRUE(store_->Backup(copy, never_).ok());
  EXPECT_EQ(store_->Backup(copy, never_).code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(Create("later").ok());
  options_.data_dir = dir_.path() + "/copy";
  Open();
  EXPECT_TRUE(Has("a"));
  EXPECT_FALSE(Has("later"));
  EXPECT_TRUE(Verify().valid);
  EXPECT_TRUE(Create("b").ok());
}

TEST_F(SqliteStoreTest, BackupToAnImpossiblePathFails) {
  Open();
  EXPECT_EQ(store_->Backup(dir_.path() + "/no/such/folder.db", never_).code(), absl::StatusCode::kUnavailable);
  fibers::Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_EQ(GetToolError(store_->Backup(dir_.path() + "/unwanted.db", cancellation))->code, ErrorCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(dir_.path() + "/unwanted.db"));
  EXPECT_FALSE(std::filesystem::exists(dir_.path() + "/unwanted.db.partial"));
}

TEST_F(SqliteStoreTest, MaintenanceSweepsExpiredRecordsAndEmptiesTheLog) {
  Open();
  ASSERT_TRUE(store_
                  ->Commit({"w", "alice", "c", clock_.Now()}, CommitMode::kDurable, never_,
                           [&](Transaction& t) -> absl::Status {
                             EXPECT_TRUE(t.ClaimIdempotencyKey("alice", "key").ok());
                             EXPECT_TRUE(t.PutOutcome("alice", "key", {"tool", "", "", clock_.Now()}).ok());
                             EXPECT_TRUE(t.KeepResult({"r", "alice", "tool", "{}", false, clock_.Now()}).ok());
                             Confirmation confirmation;
                             confirmation.id = "k";
                             confirmation.created_at = clock_.Now();
                             confirmation.expires_at = clock_.Now();
                             return t.PutConfirmation(confirmation);
                           })
                  .ok());
  clock_.Advance(absl::Hours(25));
  ASSERT_TRUE(store_->Maintain().ok());
  store_.reset();
  const auto connection = Connection::Open(path(), {});
  Cursor count = (*connection)
                     ->Use(
                         "SELECT (SELECT count(*) FROM outcomes) + (SELECT count(*) FROM confirmations) + (SELECT "
                         "count(*) FROM kept_results)");
  ASSERT_TRUE(count.Step().ok());
  EXPECT_EQ(count.Int(0), 0);
}

// ---- The write-ahead log --------------------------------------------------------------------------------------------

class LogTest : public SqliteStoreTest {
 protected:
  static constexpr int64_t kLimit = 1 << 20;

  LogTest() { options_.log_limit = kLimit; }
  int64_t LogBytes() const { return static_cast<int64_t>(std::filesystem::file_size(path() + "-wal")); }
  // Commits until the log's file has at least so many bytes more.
  void Grow(int64_t bytes) {
    for (const int64_t enough = LogBytes() + bytes; LogBytes() < enough;) {
      ASSERT_TRUE(
          Create(absl::StrCat("b", ++blocks_), absl::StrCat("{\"text\":\"", std::string(60'000, 'x'), "\"}")).ok());
    }
  }
  absl::Status Read(absl::FunctionRef<absl::Status(ReadView&)> body) { return store_->Read("w", body); }

  int blocks_ = 0;
};

TEST_F(LogTest, IsEmptiedAlthoughReadersKeepTheirSnapshots) {
  Open();
  ASSERT_TRUE(Create("a").ok());
  Grow(2 * kLimit);
  // A reader that is idle keeps its snapshot, and with it the log.
  EXPECT_TRUE(Has("a"));
  ASSERT_TRUE(store_->Maintain().ok());
  ASSERT_TRUE(Create("b").ok());
  EXPECT_LE(LogBytes(), kLimit);
  EXPECT_TRUE(Has("a"));
  EXPECT_TRUE(Has("b"));
}

TEST_F(LogTest, AReadThatHasBegunIsWaitedFor) {
  Open();
  ASSERT_TRUE(Create("a").ok());
  const absl::Status status = Read([&](ReadView& view) -> absl::Status {
    // Numbers are not read into the search index, which would make the log longer still.
    std::string numbers = "0";
    for (const int64_t enough = kLimit + kLimit / 8 - LogBytes(); std::ssize(numbers) < enough;) numbers += ",0";
    EXPECT_TRUE(Create("numbers", absl::StrCat("{\"n\":[", numbers, "]}")).ok());
    EXPECT_TRUE(store_->Maintain().ok());
    EXPECT_TRUE(Create("b").ok());
    EXPECT_GT(LogBytes(), kLimit) << "put off";
    EXPECT_FALSE(view.FindBlock("b")->has_value()) << "the snapshot stays what it was";
    return view.FindBlock("a").status();
  });
  EXPECT_TRUE(status.ok()) << status;
  ASSERT_TRUE(store_->Maintain().ok());
  ASSERT_TRUE(Create("c").ok());
  EXPECT_LE(LogBytes(), kLimit);
}

TEST_F(LogTest, AReadThatLastsIsEndedBeforeTheLogHasTwiceItsSize) {
  Open();
  ASSERT_TRUE(Create("a").ok());
  for (const bool ignored : {false, true}) {
    const absl::Status status = Read([&](ReadView& view) -> absl::Status {
      Grow(2 * kLimit);
      EXPECT_TRUE(store_->Maintain().ok());
      EXPECT_TRUE(Create(ignored ? "b" : "c").ok());
      EXPECT_LE(LogBytes(), kLimit);
      const auto block = view.FindBlock("a");
      EXPECT_FALSE(block.ok());
      return ignored ? absl::OkStatus() : block.status();
    });
    ASSERT_TRUE(GetToolError(status).has_value()) << status;
    EXPECT_TRUE(IsSnapshotRevoked(status));
    EXPECT_EQ(GetToolError(status)->code, ErrorCode::kConflict);
    EXPECT_TRUE(GetToolError(status)->retryable);
    EXPECT_TRUE(Has("a")) << "the reader serves the next call";
  }
}

TEST_F(LogTest, AReadThatHasSeenAllItNeedsMayLast) {
  Open();
  ASSERT_TRUE(Create("a").ok());
  const absl::Status status = Read([&](ReadView& view) -> absl::Status {
    const absl::Status read = view.FindBlock("a").status();
    Grow(2 * kLimit);
    EXPECT_TRUE(store_->Maintain().ok());
    return read;
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(LogTest, LongTextsAreReadIntoTheSearchIndexInSeveralCommits) {
  Open();
  Grow(4 * kLimit);
  const uint64_t before = store_->commits();
  ASSERT_TRUE(store_->Maintain().ok());
  EXPECT_GE(store_->commits() - before, 3u);
  EXPECT_EQ(Ask("SELECT indexed_row FROM search_state"), blocks_);
}

TEST_F(LogTest, ABackupKeepsItsSnapshot) {
  Open();
  Grow(6 * kLimit);  // More than is copied at once.
  int checks = 0;
  const Interruption interruption([&] {
    if (++checks == 3) {  // The first two are of what comes before the copy.
      Grow(2 * kLimit);
      EXPECT_TRUE(store_->Maintain().ok());
    }
    return false;
  });
  fibers::Cancellation call;
  call.Watch(interruption);
  const absl::Status status = store_->Backup(dir_.path() + "/backup.db", call);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GE(checks, 3);
}

// ---- The audit log --------------------------------------------------------------------------------------------------

TEST_F(SqliteStoreTest, AuditEntriesAreFoundBeforeAndAfterTheirTermsAreIndexed) {
  Open();
  AppendAudit(0, 2);
  AppendAudit(2, 2);
  AuditQuery query;
  query.user_id = "alice";
  EXPECT_EQ(Ask("SELECT count(*) FROM audit_terms"), 0);
  EXPECT_EQ(store_->SearchAudit("w", {}, query)->size(), 4u);
  Open();
  ASSERT_TRUE(store_->Maintain().ok());
  EXPECT_GT(Ask("SELECT count(*) FROM audit_terms"), 0);
  AppendAudit(4, 2);
  const auto found = store_->SearchAudit("w", {}, query);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 6u);
  for (size_t i = 0; i < found->size(); ++i) EXPECT_EQ((*found)[i].id(), absl::StrCat("entry-", 5 - i));
  query.user_id = "bob";
  EXPECT_TRUE(store_->SearchAudit("w", {}, query)->empty());
}

TEST_F(SqliteStoreTest, AnAuditLogOfManySegmentsIsReadInParts) {
  Open();
  constexpr int kSegments = 1100;
  for (int i = 0; i < kSegments; ++i) AppendAudit(i, 1);
  for (const char* terms : {"not indexed", "indexed"}) {
    SCOPED_TRACE(terms);
    AuditQuery query;
    query.limit = 2 * kSegments;
    EXPECT_EQ(store_->SearchAudit("w", {}, query)->size(), size_t{kSegments});
    query.user_id = "alice";
    EXPECT_EQ(store_->SearchAudit("w", {}, query)->size(), size_t{kSegments});
    query.limit = 700;
    const auto newest = store_->SearchAudit("w", {}, query);
    ASSERT_EQ(newest->size(), 700u);
    EXPECT_EQ(newest->back().id(), absl::StrCat("entry-", kSegments - 700));
    ASSERT_TRUE(store_->Maintain().ok());
  }
  EXPECT_TRUE(Verify().valid);
  EXPECT_EQ(Verify().entries_checked, kSegments);
}

class ConfirmationCounts final : public StoreObserver {
 public:
  void OnRead(absl::Duration) override {}
  void OnWrite(absl::Duration) override {}
  void OnBatch(size_t, absl::Duration) override {}
  void OnBackup(absl::Duration) override {}
  void OnWaitingConfirmations(int64_t count) override { counts.push_back(count); }
  std::vector<int64_t> counts;
};

TEST_F(SqliteStoreTest, ConfirmationsOfAllWorkspacesThatWaitAreCounted) {
  ConfirmationCounts observer;
  options_.observer = &observer;
  Open();
  const auto ask = [&](const std::string& workspace, const std::string& id, absl::Duration lifetime) {
    Confirmation confirmation;
    confirmation.id = id;
    confirmation.created_at = clock_.Now();
    confirmation.expires_at = clock_.Now() + lifetime;
    ASSERT_TRUE(store_
                    ->Commit({workspace, "alice", id, clock_.Now()}, CommitMode::kDurable, never_,
                             [&](Transaction& t) { return t.PutConfirmation(confirmation); })
                    .ok());
  };
  ask("w", "used", absl::Minutes(5));
  ask("w", "short", absl::Minutes(1));
  ask("other", "long", absl::Minutes(5));
  ASSERT_TRUE(store_
                  ->Commit({"w", "alice", "decided", clock_.Now()}, CommitMode::kDurable, never_,
                           [&](Transaction& t) {
                             return t
                                 .TransitionConfirmation("used", Confirmation::State::kPending,
                                                         Confirmation::State::kApproved, "bob")
                                 .status();
                           })
                  .ok());
  ASSERT_TRUE(store_->Tidy().ok());
  ASSERT_TRUE(store_->Tidy().ok());
  EXPECT_EQ(observer.counts, std::vector<int64_t>{2}) << "not in every round";
  clock_.Advance(absl::Minutes(2));
  ASSERT_TRUE(store_->Tidy().ok());
  EXPECT_EQ(observer.counts.back(), 1);
  Open();
  ASSERT_TRUE(store_->Tidy().ok());
  EXPECT_EQ(observer.counts.back(), 1) << "also after a restart";
  store_.reset();
}

TEST_F(SqliteStoreTest, OutcomesAreForgottenAsFastAsTheyCome) {
  Open();
  Tamper(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
      "INSERT INTO outcomes (workspace, user, key, tool, digest, response, created_at) "
      "SELECT 1, 'alice', i, 'tool', x'', x'', 0 FROM n");
  Open();
  clock_.Advance(absl::Minutes(1));
  ASSERT_TRUE(store_->Tidy().ok());
  const int64_t left = Ask("SELECT count(*) FROM outcomes");
  EXPECT_LT(left, 10'000 - 1000);
  EXPECT_GT(left, 0) << "a round must not hold up mutations for long";
  // Without a minute between them.
  for (int round = 0; round < 5; ++round) ASSERT_TRUE(store_->Tidy().ok());
  EXPECT_EQ(Ask("SELECT count(*) FROM outcomes"), 0);
}

TEST_F(SqliteStoreTest, UpkeepThatFailsIsTold) {
  Open();
  Tamper("DROP TABLE outcomes");
  absl::Notification told;
  std::string what;
  options_.background = true;
  options_.on_maintenance_failed = [&](const absl::Status& status) {
    what = status.ToString();
    told.Notify();
  };
  Open();
  clock_.Advance(absl::Minutes(1));
  ASSERT_TRUE(told.WaitForNotificationWithTimeout(absl::Seconds(60)));
  store_.reset();
  EXPECT_THAT(what, HasSubstr("outcomes"));
}

TEST_F(SqliteStoreTest, SearchIndexIsKeptUpUnderSteadyWrites) {
  Open();
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(Create(absl::StrCat("b", i)).ok());
    ASSERT_TRUE(store_->Tidy().ok());
    clock_.Advance(absl::Milliseconds(250));
  }
  EXPECT_GT(Ask("SELECT indexed_row FROM search_state"), 0);
}

TEST_F(SqliteStoreTest, SearchEndsHoweverManyWriteMeanwhileAndLendsItsReader) {
  options_.readers = 1;
  Open();
  CreateMany("before", 600);
  int looks = 0;
  bool writing = false;
  // The one reader is lent to others while the index catches up, and not while it reads itself.
  const auto is_lent = [&] {
    const fibers::Cancellation brief(Clock::Real(), Clock::Real().Monotonic() + absl::Milliseconds(5));
    return store_->Read("w", {&brief}, [](ReadView& view) { return view.GetBlock("before0").status(); }).ok();
  };
  const Interruption steady_writes([&] {
    if (std::exchange(writing, true)) return false;
    if (is_lent()) CreateMany(absl::StrCat("step", ++looks, "-"), 300);
    writing = false;
    return looks == 20;
  });
  fibers::Cancellation cancellation;
  cancellation.Watch(steady_writes);
  const absl::Status status = store_->Read("w", {&cancellation}, [&](ReadView& view) -> absl::Status {
    const absl::StatusOr<int64_t> found = CountWalruses(view);
    if (!found.ok()) return found.status();
    EXPECT_GE(*found, 600);
    return view.GetBlock("step1-0").status();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(looks, 0) << "another read while the index catches up";
  EXPECT_LT(looks, 20);
}

TEST_F(SqliteStoreTest, SearchEndsWhenItsClientLeavesAndTheStoreGoesOn) {
  Open();
  CreateMany("b", 600);
  fibers::Cancellation cancellation;
  cancellation.Cancel();
  const absl::Status status = store_->Read("w", {&cancellation}, [&](ReadView& view) {
    EXPECT_EQ(GetToolError(CountWalruses(view).status())->code, ErrorCode::kCancelled);
    return view.GetBlock("b0").status();
  });
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kCancelled) << "every other statement of the call ends as well";
  EXPECT_TRUE(Has("b0"));
}

TEST_F(SqliteStoreTest, SearchInATransactionCatchesUpOutsideOfIt) {
  Open();
  CreateMany("b", 600);
  const uint64_t before = store_->commits();
  int runs = 0;
  const WriteContext context{"w", "alice", "search", clock_.Now()};
  const absl::Status status =
      store_->Commit(context, CommitMode::kDurable, never_, [&](Transaction& transaction) -> absl::Status {
        ++runs;
        const absl::StatusOr<int64_t> found = CountWalruses(transaction);
        // The body may ignore a search that gave up.
        if (!found.ok()) return absl::OkStatus();
        EXPECT_EQ(*found, 600);
        return transaction.PutDocument("k", "n", "{}");
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(store_->commits() - before, 4u) << "three steps and the transaction";
}

TEST_F(SqliteStoreTest, SearchInATransactionOfManyNewBlocksFindsThem) {
  Open();
  const WriteContext context{"w", "alice", "search", clock_.Now()};
  const absl::Status status =
      store_->Commit(context, CommitMode::kDurable, never_, [&](Transaction& transaction) -> absl::Status {
        for (int i = 0; i < 600; ++i) {
          const auto created = transaction.CreateBlock({absl::StrCat("b", i), "text", "", R"({"title":"walrus"})", {}});
          if (!created.ok()) return created.status();
        }
        const absl::StatusOr<int64_t> found = CountWalruses(transaction);
        EXPECT_EQ(found.value_or(600), 600);
        return found.status();
      });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(SqliteStoreTest, SearchInATransactionIsCancelledBetweenSteps) {
  Open();
  CreateMany("b", 600);
  fibers::Cancellation cancellation;
  const WriteContext context{"w", "alice", "search", clock_.Now()};
  const absl::Status status =
      store_->Commit(context, CommitMode::kDurable, cancellation, [&](Transaction& transaction) {
        cancellation.Cancel();
        return CountWalruses(transaction).status();
      });
  ASSERT_TRUE(GetToolError(status).has_value()) << status;
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kCancelled);
}

// Every other mutation would wait for it.
TEST_F(SqliteStoreTest, AChangeOfTooManyThingsIsRefusedAndTakenBack) {
  Open();
  const WriteContext context{"w", "alice", "many", clock_.Now()};
  int made = 0;
  const absl::Status status =
      store_->Commit(context, CommitMode::kDurable, never_, [&](Transaction& transaction) -> absl::Status {
        for (made = 0; made <= kMaxChangedThings; ++made) {
          const auto created = transaction.CreateBlock({absl::StrCat("b", made), "text", "", "{}", {}});
          if (!created.ok()) return created.status();
        }
        return absl::OkStatus();
      });
  ASSERT_TRUE(GetToolError(status).has_value()) << status;
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kQuotaExceeded);
  EXPECT_FALSE(GetToolError(status)->retryable);
  EXPECT_EQ(made, kMaxChangedThings);
  EXPECT_FALSE(Has("b0"));
}

TEST_F(SqliteStoreTest, ReadThatMayNotWaitIsNotHeldUpByBusyReaders) {
  options_.readers = 1;
  Open();
  ASSERT_TRUE(Create("a").ok());
  const absl::Status status = store_->Read("w", [&](ReadView&) {
    return store_->Read("w", {.may_wait = false}, [](ReadView& view) { return view.GetBlock("a").status(); });
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(SqliteStoreTest, OneUsersReadsLeaveReadersToOthers) {
  options_.readers = 4;
  options_.reader_shares = {.of_user = 0.75, .of_workspace = 1};
  Open();
  ASSERT_TRUE(Create("a").ok());
  const fibers::Cancellation stays;
  // Three reads of Ann's, one inside the other. Her fourth waits for as long as it may, Bob's does not.
  const ReadPatience ann{.cancellation = &stays, .party = {"w", "ann"}};
  const ReadPatience bob{.cancellation = &stays, .party = {"w", "bob"}};
  absl::Status of_ann = absl::UnknownError("not asked");
  absl::Status of_bob = absl::UnknownError("not asked");
  const auto nothing = [](ReadView&) { return absl::OkStatus(); };
  const absl::Status outer = store_->Read("w", ann, [&](ReadView&) {
    return store_->Read("w", ann, [&](ReadView&) {
      return store_->Read("w", ann, [&](ReadView&) {
        const fibers::Cancellation brief(Clock::Real(), Clock::Real().Monotonic() + absl::Milliseconds(100));
        of_ann = store_->Read("w", {.cancellation = &brief, .party = ann.party}, nothing);
        of_bob = store_->Read("w", bob, nothing);
        return absl::OkStatus();
      });
    });
  });
  EXPECT_TRUE(outer.ok()) << outer;
  EXPECT_TRUE(of_bob.ok()) << of_bob;
  ASSERT_TRUE(GetToolError(of_ann).has_value()) << of_ann;
  EXPECT_EQ(GetToolError(of_ann)->code, ErrorCode::kTimeout);
  EXPECT_TRUE(store_->Read("w", ann, nothing).ok()) << "all that were given out are back";
}

TEST_F(SqliteStoreTest, LongReadsAndOthersDoNotWaitForEachOther) {
  options_.readers = 1;
  Open();
  const fibers::Cancellation brief(Clock::Real(), Clock::Real().Monotonic() + absl::Seconds(5));
  const ReadPatience usual{.cancellation = &brief};
  const ReadPatience is_long{.cancellation = &brief, .is_long = true};
  const auto nothing = [](ReadView&) { return absl::OkStatus(); };
  for (const auto& [first, second] : {std::pair(usual, is_long), std::pair(is_long, usual)}) {
    const absl::Status status =
        store_->Read("w", first, [&, &inner = second](ReadView&) { return store_->Read("w", inner, nothing); });
    EXPECT_TRUE(status.ok()) << status;
  }
  const fibers::Cancellation briefer(Clock::Real(), Clock::Real().Monotonic() + absl::Milliseconds(100));
  const absl::Status two = store_->Read(
      "w", is_long, [&](ReadView&) { return store_->Read("w", {.cancellation = &briefer, .is_long = true}, nothing); });
  ASSERT_TRUE(GetToolError(two).has_value()) << two;
  EXPECT_EQ(GetToolError(two)->code, ErrorCode::kTimeout);
}

TEST_F(SqliteStoreTest, ReadThatWaitsForAReaderEndsWithItsCall) {
  options_.readers = 1;
  Open();
  fibers::Cancellation left;
  left.Cancel();
  const absl::Status status = store_->Read(
      "w", [&](ReadView&) { return store_->Read("w", {&left}, [](ReadView&) { return absl::OkStatus(); }); });
  ASSERT_TRUE(GetToolError(status).has_value()) << status;
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kCancelled);
}

TEST_F(SqliteStoreTest, ChainsOfMoreWorkspacesThanAreRememberedGoOn) {
  Open();
  std::vector<v1::AuditEntry> entries;
  for (int i = 0; i < 10'100; ++i) {
    v1::AuditEntry entry;
    entry.set_id(absl::StrCat("entry-", i));
    entry.set_workspace_id(absl::StrCat("w", i));
    entries.push_back(entry);
  }
  ASSERT_TRUE(store_->AppendAudit(entries).ok());
  ASSERT_TRUE(store_->AppendAudit(entries).ok());
  for (const char* workspace : {"w0", "w9999", "w10099"}) {
    const auto report = store_->VerifyChain(workspace, {});
    ASSERT_TRUE(report.ok());
    EXPECT_TRUE(report->valid) << workspace;
    EXPECT_EQ(report->entries_checked, 2) << workspace;
  }
}

TEST_F(SqliteStoreTest, AlteredEntryIsFoundByItsSequence) {
  Open();
  for (int i = 0; i < 3; ++i) AppendAudit(3 * i, 3);
  FlipByteOf("entry-4");
  Open();
  const ChainReport report = Verify();
  EXPECT_FALSE(report.valid);
  EXPECT_EQ(report.broken_sequence, 5);
  EXPECT_EQ(report.problem, "altered");
}

TEST_F(SqliteStoreTest, MissingEntriesAreFound) {
  Open();
  for (int i = 0; i < 3; ++i) AppendAudit(2 * i, 2);
  Tamper("DELETE FROM audit_segments WHERE first_seq = 3");
  Open();
  const ChainReport report = Verify();
  EXPECT_FALSE(report.valid);
  EXPECT_EQ(report.broken_sequence, 3);
  EXPECT_EQ(report.problem, "missing");
}

TEST_F(SqliteStoreTest, ALogThatCannotBeReadIsKeptAndHoldsUpNoOther) {
  Open();
  AppendAudit(0, 2);
  v1::AuditEntry other;
  other.set_id("other");
  other.set_workspace_id("v");
  other.mutable_timestamp()->set_seconds(1000);
  ASSERT_TRUE(store_->AppendAudit(std::vector<v1::AuditEntry>{other}).ok());
  Tamper("UPDATE audit_segments SET payload = substr(payload, 2) WHERE workspace = 1");
  Open();
  const auto step = store_->TrimAudit(absl::FromUnixSeconds(1'000'000), 0);
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(step->dropped, 1);
  EXPECT_TRUE(absl::IsDataLoss(step->kept)) << step->kept;
  EXPECT_EQ(Ask("SELECT count(*) FROM audit_segments"), 1);
  EXPECT_FALSE(Verify().valid);
  EXPECT_TRUE(store_->VerifyChain("v", {})->valid);
}

TEST_F(SqliteStoreTest, ARowThatIsNotedBeforeItIsIndexedIsFoundOnce) {
  Open();
  CreateMany("a", 3);
  Tamper(
      "DELETE FROM search_text; UPDATE search_state SET indexed_row = 1;"
      "INSERT OR IGNORE INTO search_pending (row) SELECT row FROM blocks");
  Open();
  for (const char* index : {"behind", "up to date"}) {
    SCOPED_TRACE(index);
    absl::StatusOr<int64_t> found;
    const absl::Status status = store_->Read("w", [&](ReadView& view) {
      found = CountWalruses(view);
      return found.status();
    });
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(*found, 3);
    ASSERT_TRUE(store_->Maintain().ok());
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM search_pending"), 0);
}

TEST_F(SqliteStoreTest, ReorderedEntriesAreFound) {
  Open();
  for (int i = 0; i < 3; ++i) AppendAudit(2 * i, 2);
  Tamper(
      "CREATE TEMP TABLE swap AS SELECT first_seq, payload FROM audit_segments;"
      "UPDATE audit_segments SET payload = (SELECT payload FROM swap WHERE first_seq = 5) WHERE first_seq = 3;"
      "UPDATE audit_segments SET payload = (SELECT payload FROM swap WHERE first_seq = 3) WHERE first_seq = 5");
  Open();
  const ChainReport report = Verify();
  EXPECT_FALSE(report.valid);
  EXPECT_EQ(report.broken_sequence, 3);
  EXPECT_EQ(report.problem, "reordered");
}

TEST_F(SqliteStoreTest, CutEndIsFound) {
  Open();
  for (int i = 0; i < 3; ++i) AppendAudit(2 * i, 2);
  Tamper("DELETE FROM audit_segments WHERE first_seq = 5");
  Open();
  const ChainReport report = Verify();
  EXPECT_FALSE(report.valid);
  EXPECT_EQ(report.broken_sequence, 5);
  EXPECT_EQ(report.problem, "truncated");
}

TEST_F(SqliteStoreTest, CutBeginningIsFound) {
  Open();
  for (int i = 0; i < 3; ++i) AppendAudit(2 * i, 2);
  Tamper("DELETE FROM audit_segments WHERE first_seq = 1");
  Open();
  EXPECT_EQ(Verify().problem, "missing");
  EXPECT_EQ(Verify().broken_sequence, 1);
}

TEST_F(SqliteStoreTest, FileOfEveryEarlierVersionIsMigrated) {
  for (int version = 1; version <= SchemaVersion(); ++version) {
    TempDir dir;
    options_.data_dir = dir.path();
    std::ifstream fixture(absl::StrCat(SourceDir(), "/tests/unit/storage/sqlite/testdata/version_", version, ".sql"));
    ASSERT_TRUE(fixture.good()) << "a fixture of version " << version << " is missing";
    const std::string sql((std::istreambuf_iterator<char>(fixture)), std::istreambuf_iterator<char>());
    {
      const auto connection = Connection::Open(path(), {.create = true});
      const absl::Status status = (*connection)->Execute(sql.c_str());
      ASSERT_TRUE(status.ok()) << status;
    }
    Open();
    EXPECT_TRUE(Has("old-block"));
    EXPECT_TRUE(Verify().valid);
    EXPECT_EQ(Verify().entries_checked, 1);
    EXPECT_EQ(store_->GetAudit("w", {}, "old-entry")->user_id(), "alice");
    EXPECT_TRUE(Create("new-block").ok());
    SearchQuery query;
    query.text = "walrus";
    EXPECT_TRUE(
        store_
            ->Read("w",
                   [&](ReadView& view) {
                     EXPECT_EQ(view.Search(query)->total, 1);
                     EXPECT_EQ(view.ListUndoEntries("alice")->size(), version >= 7 ? 2u : 1u);
                     EXPECT_EQ(view.FindUndoEntry("alice", "old-undo").value()->request_id,
                               version >= 7 ? "old-request" : "");
                     EXPECT_EQ(view.ListLinks("old-block", 10)->size(), version >= 2 ? 1u : 0u);
                     EXPECT_EQ(view.FindFile("old-file")->has_value(), version >= 2);
                     const auto kept =
                         view.ReadKeptResult("alice", "old-result", 0, 9, absl::FromUnixMicros(9000000000000000));
                     EXPECT_EQ(kept->has_value(), version >= 3);
                     EXPECT_EQ(view.FindClaim("old-claim")->has_value(), version >= 4);
                     EXPECT_EQ(view.ListSettledSteps("old-claim")->size(), version >= 5 ? 1u : 0u);
                     EXPECT_EQ(view.FindConversation("alice", "old-conversation")->has_value(), version >= 6);
                     EXPECT_EQ(view.ListArtifacts("alice", "old-conversation", 0, 0)->size(), version >= 6 ? 1u : 0u);
                     return absl::OkStatus();
                   })
            .ok());
    store_.reset();
  }
}

TEST_F(SqliteStoreTest, UndosOfEarlierVersionsKeepWhatTheyUndid) {
  const TempDir dir;
  options_.data_dir = dir.path();
  std::ifstream fixture(absl::StrCat(SourceDir(), "/tests/unit/storage/sqlite/testdata/version_6.sql"));
  std::string sql((std::istreambuf_iterator<char>(fixture)), std::istreambuf_iterator<char>());
  sql +=
      "INSERT INTO undo_entries VALUES (2, 1, 'alice', 2, 'old-redo', 'undo', 1000000000, 'Undid', '[]', 1, 0, "
      "'old-undo', 'old-entry', x'')";
  {
    const auto connection = Connection::Open(path(), {.create = true});
    ASSERT_TRUE((*connection)->Execute(sql.c_str()).ok());
  }
  Open();
  EXPECT_TRUE(store_
                  ->Read("w",
                         [](ReadView& view) {
                           EXPECT_THAT(view.FindUndoEntry("alice", "old-redo").value()->undoes,
                                       ::testing::ElementsAre("old-undo"));
                           EXPECT_FALSE(view.FindUndoEntry("alice", "old-undo").value()->is_undo());
                           return absl::OkStatus();
                         })
                  .ok());
  store_.reset();
}

// As left by an earlier release.
TEST_F(SqliteStoreTest, BlocksThatLieTooDeepCanBeMovedUpAndDeleted) {
  Open();
  ASSERT_TRUE(Create("l1").ok());
  Tamper(
      absl::StrCat("WITH RECURSIVE level(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM level WHERE n <= ", kMaxBlockDepth,
                   ") INSERT INTO blocks SELECT row + n, workspace, 'l' || n, type, 'l' || (n - 1), rank, 1, "
                   "change_id, created_by, updated_by, created_at, updated_at, data FROM blocks, level "
                   "WHERE id = 'l1'"));
  Open();
  const auto commit = [&](absl::FunctionRef<absl::Status(Transaction&)> body) {
    return store_->Commit({"w", "alice", "change", clock_.Now()}, CommitMode::kDurable, never_, body);
  };
  const std::string lowest = absl::StrCat("l", kMaxBlockDepth + 1);
  ASSERT_TRUE(Has(lowest));
  EXPECT_FALSE(commit([&](Transaction& t) { return t.CreateBlock({"x", "text", lowest, "{}", {}}).status(); }).ok());
  EXPECT_TRUE(commit([&](Transaction& t) { return t.MoveBlock(lowest, "l2", std::nullopt).status(); }).ok());
  EXPECT_TRUE(commit([](Transaction& t) { return t.DeleteBlock("l1", Children::kDelete).status(); }).ok());
  EXPECT_FALSE(Has(lowest));
}

}  // namespace
}  // namespace toolgate::storage::sqlite
