#include "storage/postgres/postgres_store.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/clock.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/audit_chain.h"
#include "storage/fault.h"
#include "storage/postgres/schema.h"
#include "tests/support/postgres_server.h"
#include "tests/unit/storage/postgres/store_of.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::postgres {
namespace {

using ::testing::HasSubstr;
using ::toolgate::testing::PostgresServer;

PostgresServer& Server() { return PostgresServer::Shared(); }

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST(PostgresStoreTest, SaysThatItIsSharedAndThatReadsMayWait) {
  const auto store = StoreOf(Server().ConnectionTo("stores"));
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->IsShared());
  EXPECT_TRUE((*store)->ReadsMayWait());
  const absl::Status backup = (*store)->Backup("/tmp/backup", fibers::Cancellation());
  EXPECT_EQ(backup.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(MessageOf(backup), HasSubstr("pg_dump"));
}

TEST(PostgresStoreTest, RefusesADatabaseOfAnotherProgram) {
  Server().Database("foreign_one");
  ASSERT_TRUE(Server().Run("foreign_one", "CREATE TABLE customers (id int)").ok());
  const absl::Status status = StoreOf(Server().ConnectionTo("foreign_one")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("public.customers"));
  EXPECT_THAT(MessageOf(status), HasSubstr("storage.postgres.database"));
}

TEST(PostgresStoreTest, RefusesANewerSchemaUnlessItMayBeUsed) {
  ASSERT_TRUE(StoreOf(Server().ConnectionTo("newer")).ok());
  ASSERT_TRUE(Server().Run("newer", "UPDATE toolgate.schema_version SET version = 99").ok());
  EXPECT_TRUE(StoreOf(Server().ConnectionTo("newer")).ok());
  ASSERT_TRUE(Server().Run("newer", "UPDATE toolgate.schema_version SET oldest_program = 98").ok());
  const absl::Status status = StoreOf(Server().ConnectionTo("newer")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("schema version 99"));
}

TEST(PostgresStoreTest, AMigrationThatWasCutShortGoesOn) {
  ASSERT_TRUE(StoreOf(Server().ConnectionTo("cut")).ok());
  ASSERT_TRUE(Server().Run("cut", "UPDATE toolgate.schema_version SET version = 0; DROP TABLE toolgate.links").ok());
  const auto store = StoreOf(Server().ConnectionTo("cut"));
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE(Put(**store, "a").ok());
}

TEST(PostgresStoreTest, SeveralProcessesMayMigrateAtOnce) {
  const Connection::Options options = Server().ConnectionTo("together");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto store = StoreOf(options);
      EXPECT_TRUE(store.ok()) << store.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(PostgresStoreTest, TwoProcessesLoseNothingOfOneWorkspace) {
  const auto one = StoreOf(Server().ConnectionTo("stores")).value();
  const auto other = StoreOf(Server().ConnectionTo("stores")).value();
  ASSERT_TRUE(Put(*one, "n", "two").ok());
  constexpr int kRounds = 50;
  std::vector<std::thread> threads;
  for (Store* store : {one.get(), other.get()}) {
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, store] {
        for (int round = 0; round < kRounds; ++round) {
          const absl::Status status = Increment(*store, "n", "c", "two");
          EXPECT_TRUE(status.ok()) << status;
        }
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(NumberIn(*other, "n", "two"), 6 * kRounds);
}

TEST(PostgresStoreTest, DryRunsRunBesideAWriterAndLeaveNothing) {
  const auto store = StoreOf(Server().ConnectionTo("stores")).value();
  ASSERT_TRUE(Put(*store, "n", "dry").ok());
  absl::Notification in_body, go_on;
  std::thread writer([&] {
    EXPECT_TRUE(store
                    ->Commit(ContextOf("c", "dry"), CommitMode::kDurable, fibers::Cancellation(),
                             [&](Transaction& t) {
                               const absl::Status found = t.GetBlock("n").status();
                               in_body.Notify();
                               go_on.WaitForNotification();
                               return found.ok() ? t.UpdateBlock("n", "10").status() : found;
                             })
                    .ok());
  });
  in_body.WaitForNotification();
  EXPECT_TRUE(Increment(*store, "n", "d", "dry", CommitMode::kDryRun).ok());
  go_on.Notify();
  writer.join();
  EXPECT_EQ(NumberIn(*store, "n", "dry"), 10);
}

TEST(PostgresStoreTest, ACallLeavesTheLineBehindAnotherProcess) {
  const auto one = StoreOf(Server().ConnectionTo("stores")).value();
  const auto other = StoreOf(Server().ConnectionTo("stores")).value();
  ASSERT_TRUE(Put(*one, "n", "line").ok());
  absl::Notification in_body, go_on;
  std::thread holder([&] {
    EXPECT_TRUE(one->Commit(ContextOf("c", "line"), CommitMode::kDurable, fibers::Cancellation(),
                            [&](Transaction& t) {
                              const absl::Status found = t.GetBlock("n").status();
                              in_body.Notify();
                              go_on.WaitForNotification();
                              return found;
                            })
                    .ok());
  });
  in_body.WaitForNotification();
  const fibers::Cancellation call(Clock::Real(), Clock::Real().Monotonic() + absl::Milliseconds(200));
  const absl::Duration begin = Clock::Real().Monotonic();
  const absl::Status status = other->Commit(ContextOf("d", "line"), CommitMode::kDurable, call,
                                            [&](Transaction& t) { return t.UpdateBlock("n", "7").status(); });
  const auto error = GetToolError(status);
  ASSERT_TRUE(error.has_value()) << status;
  EXPECT_EQ(error->code, ErrorCode::kTimeout);
  EXPECT_LT(Clock::Real().Monotonic() - begin, absl::Seconds(5));
  go_on.Notify();
  holder.join();
  EXPECT_EQ(NumberIn(*other, "n", "line"), 0);
  EXPECT_TRUE(Increment(*other, "n", "e", "line").ok());
}

TEST(PostgresStoreTest, IsUnhealthyWhileTheServerIsAwayAndWellAgainAfterwards) {
  PostgresServer server;
  const auto store = StoreOf(server.ConnectionTo("away")).value();
  ASSERT_TRUE(Put(*store, "n").ok());
  EXPECT_TRUE(store->CheckHealth().ok());
  server.Kill();
  const absl::Status health = store->CheckHealth();
  EXPECT_EQ(health.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(IsFault(health));
  const absl::Status read = store->Read("w", [](ReadView& view) { return view.GetBlock("n").status(); });
  EXPECT_EQ(read.code(), absl::StatusCode::kUnavailable) << read;
  EXPECT_TRUE(IsFault(read));
  const absl::Status written = Increment(*store, "n", "c");
  EXPECT_EQ(written.code(), absl::StatusCode::kUnavailable) << written;
  server.Start();
  while (!store->CheckHealth().ok()) absl::SleepFor(absl::Milliseconds(20));
  EXPECT_TRUE(Increment(*store, "n", "d").ok());
  EXPECT_EQ(NumberIn(*store, "n"), 1);
  server.Restart();
  // Connections that were idle meanwhile are no one's failure.
  EXPECT_EQ(NumberIn(*store, "n"), 1);
  EXPECT_TRUE(Increment(*store, "n", "e").ok());
}

// A program that declares one field.
class Program {
 public:
  explicit Program(const std::string& field) {
    fields_ = DeclaredFields({{"text", "text", {{DeclaredField::Kind::kValue, {field}, nullptr}}}}, /*revision=*/1);
    PostgresStore::Options options;
    options.connection = Server().ConnectionTo("fields");
    options.pool_size = 4;
    options.max_batch = 4;
    options.background = false;
    options.fields = fields_;
    auto backend = PostgresStore::Create(std::move(options)).value();
    backend_ = backend.get();
    ::toolgate::testing::TestStoreOptions rules;
    rules.fields = fields_;
    store_ = ::toolgate::testing::MakeStoreOver(std::move(backend), rules);
  }

  void Put(const std::string& id, const std::string& data) {
    EXPECT_TRUE(
        store_
            ->Commit(ContextOf(id), CommitMode::kDurable, fibers::Cancellation(),
                     [&](Transaction& t) { return t.CreateBlock({.id = id, .type = "text", .data = data}).status(); })
            .ok());
  }
  int64_t Count(const std::string& field, int value) {
    int64_t total = -1;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](ReadView& view) {
                             BlockQuery query;
                             query.types = {"text"};
                             query.filter = Filter::Compare(Field::Data({field}), Filter::Op::kEquals, value);
                             query.limit = 0;
                             query.count_total = true;
                             const auto page = view.FindBlocks(query);
                             if (page.ok()) total = page->total;
                             return page.status();
                           })
                    .ok());
    return total;
  }
  void Maintain() { EXPECT_TRUE(backend_->Maintain().ok()); }

 private:
  DeclaredFields fields_;
  std::unique_ptr<Store> store_;
  PostgresStore* backend_ = nullptr;
};

TEST(PostgresStoreTest, ProgramsThatDeclareOtherFieldsMayRunAtOnce) {
  const auto state = [] { return Server().Run("fields", "SELECT complete AND NOT restart FROM toolgate.field_state"); };
  Program old_one("a");
  old_one.Maintain();
  EXPECT_EQ(*state(), "t");
  for (int i = 0; i < 300; ++i) old_one.Put(absl::StrCat("b", i), R"({"a":7,"b":8})");
  EXPECT_EQ(old_one.Count("a", 7), 300);
  Program new_one("b");
  EXPECT_EQ(new_one.Count("b", 8), 300) << "without its index";
  new_one.Maintain();
  EXPECT_EQ(*state(), "t");
  EXPECT_EQ(new_one.Count("b", 8), 300);
  old_one.Put("late", R"({"a":7,"b":8})");
  EXPECT_EQ(*state(), "f") << "the old program has left its block out";
  EXPECT_EQ(new_one.Count("b", 8), 301);
  EXPECT_EQ(old_one.Count("a", 7), 301);
  new_one.Maintain();
  EXPECT_EQ(*state(), "t");
  EXPECT_EQ(new_one.Count("b", 8), 301);
  EXPECT_EQ(*Server().Run("fields", "SELECT count(*) FROM toolgate.field_values"), "602") << "creation, and the value";
}

TEST(PostgresStoreTest, AuditEntriesAreFoundBeforeAndAfterTheirTermsAreIndexed) {
  PostgresStore::Options options;
  options.connection = Server().ConnectionTo("terms");
  options.pool_size = 4;
  options.max_batch = 4;
  options.background = false;
  const auto backend = PostgresStore::Create(std::move(options)).value();
  const auto append = [&](const std::string& id) {
    v1::AuditEntry entry;
    entry.set_id(id);
    entry.set_workspace_id("w");
    entry.set_user_id("user-of-" + id);
    EXPECT_TRUE(backend->AppendPackedAudit({PackAuditEntry(entry).value()}).ok());
  };
  const auto found = [&](const std::string& id) {
    AuditQuery query;
    query.user_id = "user-of-" + id;
    const auto entries = backend->SearchAudit("w", {}, query);
    return entries.ok() && entries->size() == 1 && entries->front().id() == id;
  };
  const auto terms = [] { return *Server().Run("terms", "SELECT count(*) FROM toolgate.audit_terms"); };
  append("a");
  EXPECT_TRUE(found("a"));
  EXPECT_EQ(terms(), "0");
  ASSERT_TRUE(backend->Maintain().ok());
  EXPECT_EQ(terms(), "1");
  append("b");
  EXPECT_TRUE(found("a"));
  EXPECT_TRUE(found("b"));
  ASSERT_TRUE(backend->Maintain().ok());
  EXPECT_EQ(terms(), "2");
  EXPECT_TRUE(found("b"));
}

TEST(PostgresStoreTest, UpkeepSweepsWhatHasExpired) {
  const auto store = StoreOf(Server().ConnectionTo("sweeps")).value();
  ASSERT_TRUE(store
                  ->Commit(ContextOf("c"), CommitMode::kDurable, fibers::Cancellation(),
                           [&](Transaction& t) -> absl::Status {
                             for (const absl::Duration age : {absl::Hours(1), absl::Hours(25)}) {
                               const std::string key = absl::FormatDuration(age);
                               const auto taken = t.ClaimIdempotencyKey("alice", key);
                               if (!taken.ok()) return taken.status();
                               const absl::Status put = t.PutOutcome("alice", key, {"tool", "", "", absl::Now() - age});
                               if (!put.ok()) return put;
                             }
                             return absl::OkStatus();
                           })
                  .ok());
  PostgresStore::Options options;
  options.connection = Server().ConnectionTo("sweeps");
  options.pool_size = 2;
  options.max_batch = 1;
  options.background = false;
  ASSERT_TRUE(PostgresStore::Create(std::move(options)).value()->Maintain().ok());
  EXPECT_EQ(*Server().Run("sweeps", "SELECT count(*) FROM toolgate.outcomes"), "1");
}

TEST(PostgresStoreTest, ABlockOfManyWordsCanBeStoredAndFound) {
  const auto store = StoreOf(Server().ConnectionTo("stores")).value();
  std::string text;
  for (int i = 0; text.size() < (2 << 20); ++i) absl::StrAppend(&text, "word", i, " ");
  text += std::string(5000, 'y');
  const std::string data = absl::StrCat(R"({"title":"long","body":")", text, R"("})");
  ASSERT_TRUE(
      store
          ->Commit(ContextOf("c", "long"), CommitMode::kDurable, fibers::Cancellation(),
                   [&](Transaction& t) { return t.CreateBlock({.id = "a", .type = "text", .data = data}).status(); })
          .ok());
  const auto count = [&](const std::string& words) {
    int64_t total = -1;
    EXPECT_TRUE(store
                    ->Read("long",
                           [&](ReadView& view) {
                             SearchQuery query;
                             query.text = words;
                             const auto page = view.Search(query);
                             if (page.ok()) total = page->total;
                             return page.status();
                           })
                    .ok());
    return total;
  };
  EXPECT_EQ(count("word77 long"), 1);
  EXPECT_EQ(count(std::string(5000, 'y')), 1);
  EXPECT_EQ(count(std::string(5001, 'y')), 0);
}

}  // namespace
}  // namespace toolgate::storage::postgres
