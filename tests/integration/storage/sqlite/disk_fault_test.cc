// A disk that fails at every step of a mutation, of a batch, of maintenance and of the start, one step after the
// other: acknowledged changes stay, refused ones leave no trace, and the store works again once the disk does.
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/fibers/cancellation.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "storage/sqlite/sqlite_store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_vfs.h"
#include "tests/support/sqlite_test_store.h"
#include "tests/support/store_options.h"
#include "tests/support/temp_dir.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::sqlite {
namespace {

using ::toolgate::testing::FakeClock;
using ::toolgate::testing::FaultyVfs;
using ::toolgate::testing::TempDir;

constexpr char kUser[] = "alice";
// More than any operation here needs, so that a loop which never gets past its fault ends.
constexpr int64_t kMostSteps = 2000;

// Outcome of a mutation for its caller.
enum class End {
  kRefused,  // The commit failed: nothing of it may be there.
  kFailed,   // The tool failed, which is recorded under the call's key and in the audit log; its blocks are not there.
  kDone,     // All of it is there.
};

struct Disk {
  std::string name;
  FaultyVfs::Fault fault;
  FaultyVfs::Lasting lasting;
  int cache_kib;       // A small one makes SQLite write in the middle of a transaction.
  size_t block_bytes;  // Of each block.
};

void PrintTo(const Disk& disk, std::ostream* out) { *out << disk.name; }

class DiskFaultTest : public ::testing::TestWithParam<Disk> {
 protected:
  absl::StatusOr<std::unique_ptr<testing::SqliteTestStore>> Open(const std::string& data_dir) {
    SqliteStore::Options options = testing::StoreOptions();
    options.data_dir = data_dir;
    options.clock = &clock_;
    options.background = false;
    options.cache_kib = GetParam().cache_kib;
    return testing::SqliteTestStore::Create(options);
  }

  // Like the pipeline running a tool: blocks in a nested step, then undo, idempotency record and audit entry.
  absl::Status Body(Transaction& transaction, const std::string& id, End& end) {
    end = End::kDone;
    absl::StatusOr<std::optional<IdempotentOutcome>> known = transaction.ClaimIdempotencyKey(kUser, id);
    if (!known.ok()) return known.status();
    EXPECT_FALSE(known->has_value());
    const std::string data = absl::StrCat("{\"text\":\"", id, " ", std::string(GetParam().block_bytes, 'x'), "\"}");
    const absl::Status ran = transaction.Nested([&]() -> absl::Status {
      for (const char* part : {"-1", "-2", "-3"}) {
        const NewBlock block{.id = id + part, .type = "text", .parent_id = "", .data = data, .position = {}};
        if (const auto created = transaction.CreateBlock(block); !created.ok()) return created.status();
      }
      return transaction.UpdateBlock("shared", absl::StrCat("{\"last\":\"", id, "\"}")).status();
    });
    if (!ran.ok()) end = End::kFailed;
    if (ran.ok()) {
      UndoEntry entry;
      entry.id = absl::StrCat("undo-", id);
      entry.user_id = kUser;
      entry.created_at = clock_.Now();
      entry.changes = transaction.changes();
      if (absl::Status status = transaction.PushUndoEntry(entry); !status.ok()) return status;
    }
    const std::string response = ran.ok() ? "done" : "failed";
    if (absl::Status status = transaction.PutOutcome(kUser, id, {"tool", "digest", response, clock_.Now()});
        !status.ok()) {
      return status;
    }
    v1::AuditEntry entry;
    entry.set_id(absl::StrCat("audit-", id));
    entry.set_workspace_id("w");
    entry.set_success(ran.ok());
    return transaction.AppendAudit(entry);
  }

  End Mutate(testing::SqliteTestStore& store, const std::string& id) {
    End end = End::kRefused;
    const absl::Status status = store.Commit({"w", kUser, id, clock_.Now()}, CommitMode::kDurable, never_,
                                             [&](Transaction& transaction) { return Body(transaction, id, end); });
    if (status.ok()) return end;
    // The operator's, never the caller's fault.
    EXPECT_FALSE(GetToolError(status).has_value()) << status;
    return End::kRefused;
  }

  // The mutation's state in the store: all of it, its failure, or nothing. Anything between fails the test.
  End Trace(testing::SqliteTestStore& store, const std::string& id) {
    int blocks = 0;
    bool undo = false;
    int found = 0;
    std::string outcome;
    const absl::Status read = store.Read("w", [&](ReadView& view) -> absl::Status {
      for (const char* part : {"-1", "-2", "-3"}) blocks += view.FindBlock(id + part)->has_value() ? 1 : 0;
      undo = view.FindUndoEntry(kUser, absl::StrCat("undo-", id))->has_value();
      if (const auto stored = view.FindOutcome(kUser, id, clock_.Now()); stored->has_value()) {
        outcome = (*stored)->response;
      }
      SearchQuery query;
      query.text = id;
      const absl::StatusOr<SearchPage> page = view.Search(query);
      if (!page.ok()) return page.status();
      for (const SearchHit& hit : page->hits) found += hit.block.id.starts_with(id) ? 1 : 0;
      return absl::OkStatus();
    });
    EXPECT_TRUE(read.ok()) << read;
    const auto audit = store.GetAudit("w", {}, absl::StrCat("audit-", id));
    if (outcome.empty()) {
      EXPECT_FALSE(blocks > 0 || undo || found > 0 || audit.ok()) << id << " left a trace";
      return End::kRefused;
    }
    EXPECT_TRUE(audit.ok()) << id << ": " << audit.status();
    const bool done = outcome == "done";
    EXPECT_EQ(blocks, done ? 3 : 0) << id;
    EXPECT_EQ(undo, done) << id;
    EXPECT_EQ(found, done ? 3 : 0) << id;
    if (audit.ok()) {
      EXPECT_EQ(audit->success(), done) << id;
    }
    return done ? End::kDone : End::kFailed;
  }

  void ExpectSound(testing::SqliteTestStore& store) {
    const auto report = store.VerifyChain("w", {});
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->valid) << report->problem << " at " << report->broken_sequence;
    EXPECT_TRUE(store.CheckHealth().ok());
  }

  // The files as after killing the process now. Without the -shm file, which the first process to open the others
  // recreates.
  static void CopyFiles(const std::string& from, const std::string& to) {
    std::filesystem::remove_all(to);
    std::filesystem::create_directories(to);
    for (const char* name : {"/toolgate.db", "/toolgate.db-wal"}) {
      if (std::filesystem::exists(from + name)) std::filesystem::copy_file(from + name, to + name);
    }
  }
  // A closed store with a block "shared" in it.
  void Prepare(const std::string& data_dir) {
    const auto store = Open(data_dir);
    ASSERT_TRUE(store.ok()) << store.status();
    const absl::Status made = (*store)->Commit(
        {"w", kUser, "first", clock_.Now()}, CommitMode::kDurable, never_, [&](Transaction& transaction) {
          return transaction
              .CreateBlock({.id = "shared", .type = "text", .parent_id = "", .data = "{}", .position = {}})
              .status();
        });
    ASSERT_TRUE(made.ok()) << made;
  }

  // Calls `step` with a disk that fails at the first, the second … operation (every `stride`th of them), until the
  // fault is no longer reached.
  void ForEveryOperation(const std::function<void(int64_t nth)>& step, int64_t stride = 1) {
    int64_t nth = 1;
    for (; nth < kMostSteps; nth += stride) {
      SCOPED_TRACE(absl::StrCat("operation ", nth));
      step(nth);
      if (vfs_.operations() < nth || HasFailure()) break;
    }
    EXPECT_GT(nth, 1) << "nothing was ever written";
    EXPECT_LT(nth, kMostSteps);
  }
  void Arm(int64_t nth) { vfs_.Arm(nth, GetParam().fault, GetParam().lasting); }
  bool once() const { return GetParam().lasting == FaultyVfs::Lasting::kOnce; }

  FaultyVfs vfs_;
  FakeClock clock_;
  fibers::Cancellation never_;
};

TEST_P(DiskFaultTest, HealthIsBackWithTheDiskThoughNobodyWrites) {
  TempDir dir;
  Prepare(dir.path());
  const auto store = *Open(dir.path());
  Arm(1);
  Mutate(*store, "tested");
  vfs_.Disarm();
  EXPECT_TRUE(store->CheckHealth().ok());
  EXPECT_EQ(Mutate(*store, "after"), End::kDone);
  ExpectSound(*store);
}

TEST_P(DiskFaultTest, AMutationIsThereAsAWholeOrNotAtAll) {
  TempDir dir;
  Prepare(dir.path() + "/empty");
  for (const bool first_in_log : {false, true}) {
    SCOPED_TRACE(first_in_log ? "into an empty log" : "behind others in the log");
    ForEveryOperation([&](int64_t nth) {
      CopyFiles(dir.path() + "/empty", dir.path() + "/data");
      auto store = *Open(dir.path() + "/data");
      if (!first_in_log) {
        EXPECT_EQ(Mutate(*store, "before"), End::kDone);
      }
      Arm(nth);
      const End end = Mutate(*store, "tested");
      const bool reached = vfs_.operations() >= nth;
      if (!reached) {
        EXPECT_EQ(end, End::kDone);
      }
      if (!once() && end == End::kRefused) {
        EXPECT_FALSE(store->CheckHealth().ok());
      }
      vfs_.Disarm();
      CopyFiles(dir.path() + "/data", dir.path() + "/killed");
      EXPECT_EQ(Trace(*store, "tested"), end);
      EXPECT_EQ(Mutate(*store, "after"), End::kDone);
      ExpectSound(*store);

      store = *Open(dir.path() + "/killed");
      // A disk that accepts no more writes cannot be made to forget earlier ones.
      if (once() || end == End::kDone) {
        EXPECT_EQ(Trace(*store, "tested"), end);
      }
      Trace(*store, "tested");
      ExpectSound(*store);
      store.reset();

      store = *Open(dir.path() + "/data");
      if (!first_in_log) {
        EXPECT_EQ(Trace(*store, "before"), End::kDone);
      }
      EXPECT_EQ(Trace(*store, "tested"), end);
      EXPECT_EQ(Trace(*store, "after"), End::kDone);
      ExpectSound(*store);
      // A retry under the same key may run exactly if the first was refused.
      if (end == End::kRefused) {
        EXPECT_EQ(Mutate(*store, "tested"), End::kDone);
      }
    });
  }
}

TEST_P(DiskFaultTest, EachOfABatchIsThereAsAWholeOrNotAtAll) {
  TempDir dir;
  Prepare(dir.path() + "/empty");
  const auto step = [&](int64_t nth) {
    CopyFiles(dir.path() + "/empty", dir.path() + "/data");
    auto store = *Open(dir.path() + "/data");
    // They meet in the queue while the first one's body runs.
    std::vector<End> ends(4, End::kRefused);
    std::vector<std::thread> threads;
    EXPECT_TRUE(store
                    ->Commit({"w", kUser, "leader", clock_.Now()}, CommitMode::kDurable, never_,
                             [&](Transaction& transaction) {
                               std::latch ready(static_cast<ptrdiff_t>(ends.size()) + 1);
                               for (size_t i = 0; i < ends.size(); ++i) {
                                 threads.emplace_back([&, i] {
                                   ready.count_down();
                                   ends[i] = Mutate(*store, absl::StrCat("batch", i));
                                 });
                               }
                               ready.arrive_and_wait();
                               Arm(nth);
                               return absl::OkStatus();
                             })
                    .ok());
    for (std::thread& thread : threads) thread.join();
    vfs_.Disarm();
    CopyFiles(dir.path() + "/data", dir.path() + "/killed");
    for (const bool killed : {false, true}) {
      if (killed) store = *Open(dir.path() + "/killed");
      for (size_t i = 0; i < ends.size(); ++i) {
        const End found = Trace(*store, absl::StrCat("batch", i));
        if (!killed || once() || ends[i] == End::kDone) {
          EXPECT_EQ(found, ends[i]) << i;
        }
      }
      EXPECT_EQ(Mutate(*store, "after"), End::kDone);
      ExpectSound(*store);
    }
  };
  // If the batch writes much, with equal steps, testing some of them is enough.
  ForEveryOperation(step, GetParam().cache_kib < 100 ? 7 : 1);
}

TEST_P(DiskFaultTest, KeepingHouseLosesNothing) {
  TempDir dir;
  Prepare(dir.path() + "/empty");
  ForEveryOperation([&](int64_t nth) {
    CopyFiles(dir.path() + "/empty", dir.path() + "/data");
    auto store = *Open(dir.path() + "/data");
    EXPECT_EQ(Mutate(*store, "before"), End::kDone);
    Arm(nth);
    const absl::Status status = store->Maintain();
    EXPECT_EQ(status.ok(), vfs_.operations() < nth) << status;
    vfs_.Disarm();
    CopyFiles(dir.path() + "/data", dir.path() + "/killed");
    EXPECT_EQ(Mutate(*store, "after"), End::kDone);
    EXPECT_TRUE(store->Maintain().ok());
    store.reset();
    for (const char* found : {"/data", "/killed"}) {
      store = *Open(dir.path() + found);
      EXPECT_EQ(Trace(*store, "before"), End::kDone) << found;
      ExpectSound(*store);
    }
  });
}

TEST_P(DiskFaultTest, AStartThatFailsCanBeRepeated) {
  TempDir dir;
  Prepare(dir.path() + "/empty");
  {
    CopyFiles(dir.path() + "/empty", dir.path() + "/kept");
    const auto store = *Open(dir.path() + "/kept");
    EXPECT_EQ(Mutate(*store, "before"), End::kDone);
    CopyFiles(dir.path() + "/kept", dir.path() + "/killed");
  }
  for (const bool is_new : {true, false}) {
    SCOPED_TRACE(is_new ? "of a new store" : "after a crash");
    ForEveryOperation([&](int64_t nth) {
      std::filesystem::remove_all(dir.path() + "/data");
      if (!is_new) CopyFiles(dir.path() + "/killed", dir.path() + "/data");
      Arm(nth);
      // A new store writes at its start, another one at its end.
      if (auto store = Open(dir.path() + "/data"); store.ok()) {
        store->reset();
      } else {
        EXPECT_TRUE(absl::StrContains(store.status().message(), dir.path() + "/data")) << store.status();
      }
      vfs_.Disarm();
      const auto store = Open(dir.path() + "/data");
      ASSERT_TRUE(store.ok()) << store.status();
      if (!is_new) {
        EXPECT_EQ(Trace(**store, "before"), End::kDone);
      }
      ExpectSound(**store);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Disks, DiskFaultTest,
    ::testing::Values(Disk{"IoErrorOnce", FaultyVfs::Fault::kIoError, FaultyVfs::Lasting::kOnce, 2048, 10},
                      Disk{"IoErrorForGood", FaultyVfs::Fault::kIoError, FaultyVfs::Lasting::kForGood, 2048, 10},
                      Disk{"FullForGood", FaultyVfs::Fault::kFull, FaultyVfs::Lasting::kForGood, 2048, 10},
                      Disk{"TornOnce", FaultyVfs::Fault::kTorn, FaultyVfs::Lasting::kOnce, 2048, 10},
                      Disk{"SpillingIoErrorOnce", FaultyVfs::Fault::kIoError, FaultyVfs::Lasting::kOnce, 4, 2'000},
                      Disk{"SpillingFullForGood", FaultyVfs::Fault::kFull, FaultyVfs::Lasting::kForGood, 4, 2'000}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace toolgate::storage::sqlite
