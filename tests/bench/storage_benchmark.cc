// Costs of the embedded store: a point read, and a durable commit of one block with its undo and audit entries,
// compared with a bare SQLite loop that writes the same rows into the same tables in batches of 64 and does nothing
// else.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/fibers/cancellation.h"
#include "common/ids.h"
#include "storage/audit_chain.h"
#include "storage/sqlite/audit_log.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/schema.h"
#include "storage/sqlite/sqlite_store.h"
#include "storage/undo_data.h"
#include "tests/support/sqlite_test_store.h"
#include "tests/support/store_options.h"
#include "tests/support/temp_dir.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kData[] = R"({"title":"Review the quarterly report","priority":"high","dueDate":"2026-03-09"})";
constexpr int kBlocks = 10'000;

std::unique_ptr<testing::SqliteTestStore> OpenStore(const std::string& folder) {
  SqliteStore::Options options = testing::StoreOptions();
  options.data_dir = folder;
  auto store = testing::SqliteTestStore::Create(options);
  if (!store.ok()) std::abort();
  return *std::move(store);
}

v1::AuditEntry EntryFor(const std::string& id, const std::string& block_id) {
  v1::AuditEntry entry;
  entry.set_id(id);
  entry.set_workspace_id("workspace");
  entry.set_user_id("alice");
  entry.set_user_name("Alice");
  entry.set_tool_id("create_block");
  entry.set_tool_name("Create block");
  entry.set_params_json(kData);
  entry.set_success(true);
  entry.set_outcome("ok");
  entry.set_request_id(id);
  entry.set_conversation_id("conversation");
  entry.add_affected_block_ids(block_id);
  entry.mutable_timestamp()->set_seconds(absl::ToUnixSeconds(absl::Now()));
  return entry;
}

absl::Status CreateOne(testing::SqliteTestStore& store, const std::string& parent) {
  static const fibers::Cancellation* const kNever = new fibers::Cancellation;
  const absl::Time now = absl::Now();
  const std::string change = IdSource::Real().NewId(now);
  return store.Commit({"workspace", "alice", change, now}, CommitMode::kDurable, *kNever,
                      [&](Transaction& transaction) -> absl::Status {
                        const auto block = transaction.CreateBlock(
                            {.id = "", .type = "todo", .parent_id = parent, .data = kData, .position = {}});
                        if (!block.ok()) return block.status();
                        UndoEntry undo;
                        undo.id = change;
                        undo.user_id = "alice";
                        undo.tool_id = "create_block";
                        undo.created_at = now;
                        undo.description = "Created todo \"Review the quarterly report\"";
                        undo.affected_block_ids = {block->id};
                        undo.audit_entry_id = change;
                        undo.changes = transaction.changes();
                        if (absl::Status status = transaction.PushUndoEntry(undo); !status.ok()) return status;
                        return transaction.AppendAudit(EntryFor(change, block->id));
                      });
}

void BM_FindBlock(benchmark::State& state) {
  static testing::SqliteTestStore* const store = [] {
    static ::toolgate::testing::TempDir* const folder = new ::toolgate::testing::TempDir;
    testing::SqliteTestStore* const opened = OpenStore(folder->path()).release();
    static const fibers::Cancellation* const kNever = new fibers::Cancellation;
    const absl::Status filled = opened->Commit(
        {"workspace", "alice", "fill", absl::Now()}, CommitMode::kDurable, *kNever, [](Transaction& t) -> absl::Status {
          for (int i = 0; i < kBlocks; ++i) {
            const auto block = t.CreateBlock(
                {.id = absl::StrCat("block-", i), .type = "todo", .parent_id = "", .data = kData, .position = {}});
            if (!block.ok()) return block.status();
          }
          return absl::OkStatus();
        });
    if (!filled.ok() || !opened->Maintain().ok()) std::abort();
    return opened;
  }();
  uint64_t i = 0;
  for (auto _ : state) {
    const std::string id = absl::StrCat("block-", (i += 7919) % kBlocks);
    const absl::Status status = store->Read("workspace", [&](ReadView& view) {
      auto block = view.FindBlock(id);
      benchmark::DoNotOptimize(block);
      return block.status();
    });
    if (!status.ok()) state.SkipWithError("read failed");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_FindBlock)->Threads(1)->Threads(2)->UseRealTime();

void BM_Commit(benchmark::State& state) {
  static std::unique_ptr<::toolgate::testing::TempDir> folder;
  static std::unique_ptr<testing::SqliteTestStore> store;
  if (state.thread_index() == 0) {
    folder = std::make_unique<::toolgate::testing::TempDir>();
    store = OpenStore(folder->path());
  }
  for (auto _ : state) {
    if (!CreateOne(*store, "").ok()) state.SkipWithError("commit failed");
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) {
    state.counters["batch"] = static_cast<double>(state.iterations() * state.threads()) / store->commits();
    store.reset();
    folder.reset();
  }
}
BENCHMARK(BM_Commit)->Threads(1)->Threads(16)->Threads(64)->UseRealTime();

// Storage of audit entries in the bare loop.
enum class AuditRows {
  kEach,    // One row for each entry, with its hash: three rows for a mutation.
  kPacked,  // The store's own segments: one row for all entries of a commit.
};

// One block, its undo entry and its audit entry: the rows that a create_block writes, without a store.
class BareRows {
 public:
  BareRows(Connection& connection, AuditRows audit) : connection_(connection), audit_(audit) {
    Check(
        connection_.Execute("CREATE TABLE audit_entries (workspace INTEGER, sequence INTEGER, entry BLOB NOT NULL, "
                            "hash BLOB NOT NULL, PRIMARY KEY (workspace, sequence))"));
  }

  void Add() {
    const absl::Time now = absl::Now();
    const int64_t now_us = absl::ToUnixMicros(now);
    const std::string id = IdSource::Real().NewId(now);
    const std::string change = IdSource::Real().NewId(now);
    Block block;
    block.id = id;
    block.type = "todo";
    block.data = kData;
    block.rank = absl::StrFormat("%012d", row_);
    Check(connection_
              .Use("INSERT INTO blocks (row, workspace, id, type, parent, rank, version, change_id, created_by, "
                   "updated_by, created_at, updated_at, data) VALUES (?, 1, ?, 'todo', '', ?, 1, ?, 'alice', 'alice', "
                   "?, ?, ?)")
              .Bind(++row_, block.id, block.rank, change, now_us, now_us, block.data)
              .Run());
    const absl::StatusOr<std::string> changes =
        SerializeChanges({.blocks = {{std::nullopt, block}}, .links = {}, .documents = {}, .effects = {}});
    Check(changes.status());
    Check(connection_
              .Use("INSERT INTO undo_entries (workspace, user, place, id, tool, created_at, description, affected, "
                   "reversible, undone, undoes, audit_entry, request, conversation, changes) VALUES (1, 'alice', ?, ?, "
                   "'create_block', ?, 'Created todo \"Review the quarterly report\"', ?, 1, 0, '', ?, '', '', ?)")
              .Bind(row_, change, now_us, absl::StrCat("[\"", id, "\"]"), change)
              .BindBlob(*changes)
              .Run());
    Check(connection_.Use("DELETE FROM undo_entries WHERE workspace = 1 AND user = 'alice' AND place <= ?")
              .Bind(row_ - 50)
              .Run());
    AddAudit(PackAuditEntry(EntryFor(change, id)).value());
  }

  void Commit() {
    if (audit_ == AuditRows::kPacked) Check(AuditLog(connection_, 1).Append(segment_));
    segment_ = SegmentBuilder(segment_.head());
    Check(connection_.Use("COMMIT").Run());
  }

 private:
  static void Check(const absl::Status& status) {
    if (status.ok()) return;
    std::cerr << "storage_benchmark: " << status << "\n";
    std::abort();
  }

  void AddAudit(const PackedAuditEntry& entry) {
    if (audit_ == AuditRows::kPacked) {
      segment_.Add(entry);
      return;
    }
    hash_ = ChainedHash(hash_, entry.bytes);
    Check(connection_.Use("INSERT INTO audit_entries (workspace, sequence, entry, hash) VALUES (1, ?, ?, ?)")
              .Bind(row_)
              .BindBlob(entry.bytes)
              .BindBlob(hash_)
              .Run());
  }

  Connection& connection_;
  const AuditRows audit_;
  SegmentBuilder segment_{ChainLink()};
  std::string hash_ = std::string(kHashSize, '\0');
  int64_t row_ = 0;
};

void BM_BareLoop(benchmark::State& state, AuditRows audit) {
  ::toolgate::testing::TempDir folder;
  auto connection = *Connection::Open(folder.path() + "/bare.db", {.create = true});
  if (!Migrate(*connection).ok()) std::abort();
  BareRows rows(*connection, audit);
  for (auto _ : state) {
    if (!connection->Use("BEGIN IMMEDIATE").Run().ok()) std::abort();
    for (int64_t i = 0; i < state.range(0); ++i) rows.Add();
    rows.Commit();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(BM_BareLoop, rows, AuditRows::kEach)->Arg(1)->Arg(64)->UseRealTime();
BENCHMARK_CAPTURE(BM_BareLoop, packed, AuditRows::kPacked)->Arg(1)->Arg(64)->UseRealTime();

}  // namespace
}  // namespace toolgate::storage::sqlite

BENCHMARK_MAIN();
