#include "services/audit/audit_queue.h"

#include <atomic>
#include <memory>
#include <string>

#include "absl/synchronization/notification.h"
#include "common/proto_time.h"
#include "coordination/leases/local_leases.h"
#include "gtest/gtest.h"
#include "storage/forwarding_store.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::services::audit {
namespace {

toolgate::config::v1::Audit Config(absl::Duration flush_interval, absl::Duration retention = absl::ZeroDuration()) {
  toolgate::config::v1::Audit config;
  SetProtoDuration(flush_interval, *config.mutable_flush_interval());
  SetProtoDuration(retention, *config.mutable_retention());
  config.set_max_pending(1000);
  return config;
}

class AuditQueueTest : public ::testing::Test {
 protected:
  AuditQueueTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    store_ = testing::MakeTestStore(options);
  }
  v1::AuditEntry Entry(const std::string& id) {
    v1::AuditEntry entry;
    entry.set_id(id);
    entry.set_workspace_id("w");
    entry.mutable_timestamp()->set_seconds(absl::ToUnixSeconds(clock_.Now()));
    return entry;
  }
  size_t Stored() {
    storage::AuditQuery all;
    all.limit = 10'000;
    return store_->SearchAudit("w", {}, all)->size();
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
};

TEST_F(AuditQueueTest, FlushMakesWhatCameBeforeDurable) {
  AuditQueue queue(*store_, Config(absl::Hours(1)), {});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(queue.Add(Entry("e" + std::to_string(i))).ok());
  EXPECT_TRUE(queue.Flush().ok());
  EXPECT_EQ(Stored(), 100u);
  EXPECT_EQ(queue.pending(), 0u);
}

TEST_F(AuditQueueTest, ManyEntriesDoNotWaitForTheInterval) {
  absl::Notification written;
  AuditQueue queue(*store_, Config(absl::Hours(1)), {.on_flush = [&](size_t, absl::Duration, const absl::Status&) {
    if (!written.HasBeenNotified()) written.Notify();
  }});
  // A quarter of what may wait.
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(queue.Add(Entry("e" + std::to_string(i))).ok());
  EXPECT_TRUE(written.WaitForNotificationWithTimeout(absl::Seconds(30)));
}

TEST_F(AuditQueueTest, TheEndFlushes) {
  { EXPECT_TRUE(AuditQueue(*store_, Config(absl::Hours(1)), {}).Add(Entry("e")).ok()); }
  EXPECT_EQ(Stored(), 1u);
}

TEST_F(AuditQueueTest, DropsWhatIsOlderThanRetentionAndTheChainHolds) {
  {
    AuditQueue queue(*store_, Config(absl::Milliseconds(1)), {});
    ASSERT_TRUE(queue.Add(Entry("old")).ok());
    ASSERT_TRUE(queue.Flush().ok());
  }
  clock_.Advance(absl::Hours(48));
  {
    AuditQueue queue(*store_, Config(absl::Milliseconds(1), absl::Hours(24)), {.clock = &clock_});
    ASSERT_TRUE(queue.Add(Entry("new")).ok());
    // The first round writes and finally trims; the end of the second round proves that the first has ended.
    ASSERT_TRUE(queue.Flush().ok());
    ASSERT_TRUE(queue.Flush().ok());
  }
  const auto entries = store_->SearchAudit("w", {}, {});
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().id(), "new");
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
}

TEST_F(AuditQueueTest, DropsNothingWhileAnotherProcessDoes) {
  {
    AuditQueue queue(*store_, Config(absl::Milliseconds(1)), {});
    ASSERT_TRUE(queue.Add(Entry("old")).ok());
    ASSERT_TRUE(queue.Flush().ok());
  }
  clock_.Advance(absl::Hours(48));
  coordination::leases::LocalLeases leases;
  auto of_another = leases.TryTake({"", "audit retention"}).value();
  ASSERT_TRUE(of_another.has_value());
  AuditQueue queue(*store_, Config(absl::Milliseconds(1), absl::Hours(24)), {.clock = &clock_, .leases = &leases});
  const auto rounds = [&] {
    ASSERT_TRUE(queue.Flush().ok());
    ASSERT_TRUE(queue.Flush().ok());
  };
  rounds();
  EXPECT_EQ(Stored(), 1u);
  of_another.reset();
  clock_.Advance(absl::Minutes(1));
  rounds();
  EXPECT_EQ(Stored(), 0u);
  EXPECT_TRUE(leases.TryTake({"", "audit retention"}).value().has_value());
}

// One whose log cannot be written for now.
class UnwritableLog final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  absl::Status AppendPackedAudit(const std::vector<storage::PackedAuditEntry>& entries) override {
    return works ? ForwardingStore::AppendPackedAudit(entries) : absl::UnavailableError("the disk is full");
  }
  std::atomic<bool> works{false};
};

TEST_F(AuditQueueTest, LongEntriesFillItBeforeTheirNumberDoes) {
  UnwritableLog store(*store_);
  AuditQueue queue(store, Config(absl::Hours(1)), {.max_pending_bytes = 1'000'000});
  v1::AuditEntry entry = Entry("long");
  entry.set_params_json(std::string(100'000, 'p'));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(queue.Add(entry).ok()) << i;
  const absl::Status refused = queue.Add(entry);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable) << refused;
  EXPECT_EQ(queue.pending(), 10u);
  // Entries that wait after a failed attempt still count.
  EXPECT_FALSE(queue.Flush().ok());
  EXPECT_FALSE(queue.Add(entry).ok());
  store.works = true;
  EXPECT_TRUE(queue.Flush().ok());
  EXPECT_EQ(Stored(), 10u);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(queue.Add(entry).ok()) << i;
}

// One whose log is never trimmed to its end.
class EndlessLog final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  absl::StatusOr<storage::AuditTrim> TrimAudit(absl::Time, int64_t from) override {
    return storage::AuditTrim{.dropped = 1, .next = from + 1, .kept = {}};
  }
};

TEST_F(AuditQueueTest, ALongTrimHoldsUpNeitherEntriesNorTheEnd) {
  EndlessLog store(*store_);
  {
    AuditQueue queue(store, Config(absl::Hours(1), absl::Hours(24)), {.clock = &clock_});
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(queue.Add(Entry("e" + std::to_string(i))).ok());
      EXPECT_TRUE(queue.Flush().ok());
      EXPECT_EQ(queue.pending(), 0u);
    }
    ASSERT_TRUE(queue.Add(Entry("last")).ok());
  }
  EXPECT_EQ(Stored(), 4u);
}

TEST_F(AuditQueueTest, ItsLagIsTheAgeOfTheOldestEntryThatIsNotDurable) {
  UnwritableLog store(*store_);
  AuditQueue queue(store, Config(absl::Hours(1)), {.clock = &clock_});
  EXPECT_EQ(queue.lag(), absl::ZeroDuration());
  ASSERT_TRUE(queue.Add(Entry("first")).ok());
  clock_.Advance(absl::Seconds(3));
  ASSERT_TRUE(queue.Add(Entry("second")).ok());
  EXPECT_EQ(queue.lag(), absl::Seconds(3));
  EXPECT_FALSE(queue.Flush().ok());
  clock_.Advance(absl::Seconds(4));
  EXPECT_EQ(queue.lag(), absl::Seconds(7)) << "a failed attempt makes nothing younger";
  store.works = true;
  EXPECT_TRUE(queue.Flush().ok());
  EXPECT_EQ(queue.lag(), absl::ZeroDuration());
}

}  // namespace
}  // namespace toolgate::services::audit
