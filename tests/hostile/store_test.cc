// Load that would fill the disk: readers that overlap without end, and reads that never end, while others write.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "common/fibers/cancellation.h"
#include "gtest/gtest.h"
#include "storage/snapshot_revoked.h"
#include "storage/sqlite/sqlite_store.h"
#include "tests/support/sqlite_test_store.h"
#include "tests/support/store_options.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::sqlite {
namespace {

using ::toolgate::testing::TempDir;

constexpr int64_t kLimit = 1 << 20;
// Of the log. Much less than what is written in all, and much more than a slow machine lets pass while the log is
// emptied.
constexpr int64_t kBound = 16 * kLimit;
constexpr int64_t kWritten = 28 * kLimit;
constexpr int64_t kBlock = 60'000;  // Bytes in each block.

class Pauses final : public StoreObserver {
 public:
  void OnRead(absl::Duration) override {}
  void OnWrite(absl::Duration) override {}
  void OnBatch(size_t, absl::Duration) override {}
  void OnBackup(absl::Duration) override {}
  void OnLogPause(bool emptied, absl::Duration) override { pauses += emptied ? 1 : 0; }

  std::atomic<size_t> pauses{0};
};

class StoreUnderLoadTest : public ::testing::Test {
 protected:
  StoreUnderLoadTest() {
    SqliteStore::Options options = testing::StoreOptions();
    options.data_dir = dir_.path() + "/data";
    options.log_limit = kLimit;
    options.observer = &observer_;
    auto store = testing::SqliteTestStore::Create(options);
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    EXPECT_TRUE(Write("first").ok());
  }

  int64_t LogBytes() const {
    struct stat log;
    return stat((dir_.path() + "/data/toolgate.db-wal").c_str(), &log) == 0 ? int64_t{log.st_size} : 0;
  }
  absl::Status Write(const std::string& id) {
    const std::string data = absl::StrCat("{\"text\":\"", std::string(kBlock, 'x'), "\"}");
    const WriteContext context{"w", "alice", id, absl::Now()};
    return store_->Commit(context, CommitMode::kDurable, never_, [&](Transaction& transaction) {
      return transaction.CreateBlock({.id = id, .type = "text", .parent_id = "", .data = data, .position = {}})
          .status();
    });
  }
  // Writes so much in all, while `go_on`, and returns the largest size of the log's file.
  int64_t WriteMuch(int64_t bytes, const std::function<bool()>& go_on) {
    int64_t largest = 0;
    for (int64_t i = 0; i * kBlock < bytes && go_on(); ++i) {
      const absl::Status written = Write(absl::StrCat("b", ++written_));
      EXPECT_TRUE(written.ok()) << written;
      largest = std::max(largest, LogBytes());
    }
    return largest;
  }

  const TempDir dir_;
  Pauses observer_;
  std::unique_ptr<testing::SqliteTestStore> store_;
  fibers::Cancellation never_;
  int written_ = 0;
};

// Two readers, each of which begins its next snapshot before the other one's ends.
TEST_F(StoreUnderLoadTest, OverlappingReadersDoNotMakeTheLogGrow) {
  absl::Mutex mutex;
  int begun[2] = {0, 0};
  bool done = false;
  const auto overlap = [&](int self) {
    const auto other_has_begun = [&] { return done || begun[1 - self] >= begun[self] + self; };
    while (true) {
      const absl::Status status = store_->Read("w", [&](ReadView& view) -> absl::Status {
        if (const auto block = view.FindBlock("first"); !block.ok()) return block.status();
        absl::MutexLock lock(&mutex);
        ++begun[self];
        mutex.Await(absl::Condition(&other_has_begun));
        return absl::OkStatus();
      });
      // On a machine on which the other one does not get its turn, a read may last.
      EXPECT_TRUE(status.ok() || IsSnapshotRevoked(status)) << status;
      absl::MutexLock lock(&mutex);
      if (done) return;
    }
  };
  std::thread first(overlap, 0);
  std::thread second(overlap, 1);
  const int64_t largest = WriteMuch(kWritten, [] { return true; });
  {
    absl::MutexLock lock(&mutex);
    done = true;
  }
  first.join();
  second.join();
  EXPECT_LT(largest, kBound);
  EXPECT_GT(observer_.pauses, 0u);
}

TEST_F(StoreUnderLoadTest, AReaderThatHoldsItsSnapshotLosesIt) {
  absl::Notification begun;
  absl::Notification end;
  absl::Status status;
  std::thread holder([&] {
    status = store_->Read("w", [&](ReadView& view) {
      EXPECT_TRUE(view.FindBlock("first").ok());
      begun.Notify();
      end.WaitForNotification();
      return view.FindBlock("first").status();
    });
  });
  begun.WaitForNotification();
  // How much is written until the reader has lasted too long depends on the machine; after that the log is emptied.
  WriteMuch(20 * kWritten, [&] { return observer_.pauses == 0; });
  EXPECT_GT(observer_.pauses, 0u) << "not within what a disk could bear";
  EXPECT_LT(WriteMuch(kWritten, [] { return true; }), kBound);
  EXPECT_TRUE(store_->Read("w", [](ReadView& view) { return view.FindBlock("first").status(); }).ok());
  end.Notify();
  holder.join();
  EXPECT_TRUE(IsSnapshotRevoked(status)) << status;
}

TEST_F(StoreUnderLoadTest, AQueryThatNeverEndsIsEnded) {
  absl::Status status;
  std::atomic<bool> ended = false;
  BlockQuery all;
  all.limit = 1000;
  fibers::Cancellation call;
  std::thread endless([&] {
    status = store_->Read("w", {&call}, [&](ReadView& view) {
      absl::Status read;
      while (read.ok()) read = view.FindBlocks(all).status();
      return read;
    });
    ended = true;
  });
  WriteMuch(10 * kWritten, [&] { return !ended; });
  EXPECT_TRUE(ended) << "not within what a disk could bear";
  call.Cancel();
  endless.join();
  EXPECT_TRUE(IsSnapshotRevoked(status)) << status;
}

}  // namespace
}  // namespace toolgate::storage::sqlite
