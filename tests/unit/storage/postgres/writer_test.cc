// Connections that are lost before, during and after a commit.
#include "storage/postgres/writer.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "storage/audit_chain.h"
#include "tests/support/postgres_relay.h"
#include "tests/support/postgres_server.h"
#include "tests/unit/storage/postgres/store_of.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::postgres {
namespace {

using ::toolgate::testing::PostgresRelay;
using ::toolgate::testing::PostgresServer;

constexpr char kKillAll[] =
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'lost' AND pid <> pg_backend_pid()";

class WriterTest : public ::testing::Test {
 protected:
  WriterTest() : relay_(PostgresServer::Shared().folder()) {
    Connection::Options options = PostgresServer::Shared().ConnectionTo("lost");
    for (auto& [keyword, value] : options.parameters) {
      if (keyword == "host") value = relay_.folder();
    }
    options.prepares = false;
    store_ = StoreOf(options).value();
    workspace_ = absl::StrCat("w", ++workspaces_);
    EXPECT_TRUE(Put(*store_, "n", workspace_).ok());
  }

  v1::AuditEntry Entry(const std::string& id) const {
    v1::AuditEntry entry;
    entry.set_id(id);
    entry.set_workspace_id(workspace_);
    return entry;
  }

  static inline int workspaces_ = 0;
  PostgresRelay relay_;
  std::unique_ptr<Store> store_;
  std::string workspace_;
};

TEST_F(WriterTest, ACommitThatDidNotArriveIsMadeAgain) {
  for (int i = 1; i <= 5; ++i) {
    relay_.Lose(PostgresRelay::Loss::kRequest);
    EXPECT_TRUE(Increment(*store_, "n", absl::StrCat("c", i), workspace_).ok());
    EXPECT_EQ(relay_.lost(), i);
    EXPECT_EQ(NumberIn(*store_, "n", workspace_), i);
  }
}

TEST_F(WriterTest, ACommitWhoseReplyWasLostIsMadeOnce) {
  for (int i = 1; i <= 5; ++i) {
    relay_.Lose(PostgresRelay::Loss::kReply);
    EXPECT_TRUE(Increment(*store_, "n", absl::StrCat("c", i), workspace_).ok());
    EXPECT_EQ(relay_.lost(), i);
    EXPECT_EQ(NumberIn(*store_, "n", workspace_), i);
  }
}

TEST_F(WriterTest, ACommitWithoutItsMarkIsAnothersOfTheSameNumber) {
  // As after a crash that lost the transaction, and gave its number to one that was committed.
  PostgresServer& server = PostgresServer::Shared();
  ASSERT_TRUE(server.Run("lost", "CREATE RULE no_marks AS ON INSERT TO toolgate.commit_marks DO INSTEAD NOTHING").ok());
  relay_.Lose(PostgresRelay::Loss::kReply);
  EXPECT_TRUE(Increment(*store_, "n", "c1", workspace_).ok());
  EXPECT_TRUE(server.Run("lost", "DROP RULE no_marks ON toolgate.commit_marks").ok());
  EXPECT_EQ(relay_.lost(), 1);
  EXPECT_EQ(NumberIn(*store_, "n", workspace_), 2) << "it is made again";
}

TEST_F(WriterTest, AuditEntriesAreAppendedOnce) {
  for (const PostgresRelay::Loss loss : {PostgresRelay::Loss::kReply, PostgresRelay::Loss::kRequest}) {
    relay_.Lose(loss);
    EXPECT_TRUE(store_->AppendAudit({Entry("a"), Entry("b")}).ok());
  }
  EXPECT_EQ(relay_.lost(), 2);
  const auto report = store_->VerifyChain(workspace_, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->valid) << report->problem;
  EXPECT_EQ(report->entries_checked, 4);
}

TEST_F(WriterTest, KilledSessionsLoseAndDoubleNothing) {
  std::atomic<bool> stop{false};
  std::thread killer([&] {
    for (int i = 0; i < 30 && !stop.load(); ++i) {
      EXPECT_TRUE(PostgresServer::Shared().Run("postgres", kKillAll).ok());
      absl::SleepFor(absl::Milliseconds(20));
    }
  });
  constexpr int kThreads = 4;
  constexpr int kRounds = 40;
  std::atomic<int> acknowledged{0};
  std::atomic<int> unknown{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        const absl::Status status = Increment(*store_, "n", absl::StrCat("c", i, "-", round), workspace_);
        if (status.ok()) ++acknowledged;
        EXPECT_TRUE(status.ok() || absl::IsUnavailable(status)) << status;
        if (absl::StrContains(std::string(status.message()), "not known")) ++unknown;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop.store(true);
  killer.join();
  EXPECT_EQ(unknown.load(), 0);
  EXPECT_EQ(NumberIn(*store_, "n", workspace_), acknowledged.load());
  EXPECT_GT(acknowledged.load(), kThreads * kRounds / 2);
}

}  // namespace
}  // namespace toolgate::storage::postgres
