// The one connection that writes, and what it remembers between transactions.
#ifndef TOOLGATE_STORAGE_SQLITE_WRITER_H_
#define TOOLGATE_STORAGE_SQLITE_WRITER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/audit_chain.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/search_index.h"
#include "storage/sqlite/write_queue.h"

namespace toolgate::storage::sqlite {

// Used by one thread at a time: the leader of the write queue. Counters may be read by any.
class Writer {
 public:
  explicit Writer(std::unique_ptr<Connection> connection);

  // Reads what must be known before the first write.
  absl::Status Start();

  // Runs the jobs in one transaction and makes them durable with one commit.
  //
  // A savepoint makes SQLite copy every page that a job touches first, which costs more than most jobs themselves. So
  // the jobs run without any, in the hope that none must be taken back after it changed something. When one must, the
  // whole transaction is taken back and run again, each job on its own savepoint. Jobs that will be taken back anyway
  // (dry runs) have theirs from the start.
  void RunBatch(absl::Span<WriteJob* const> jobs);

  Connection& connection() { return *connection_; }

  // For bodies: call before the first change, so that the job can be taken back on its own.
  absl::Status BeforeChange();
  // Whether the running job has no savepoint to go back to, how often it has announced a change, and its wish to go
  // back nevertheless.
  bool hopeful() const { return hopeful_; }
  int64_t job_changes() const { return job_changes_; }
  void RequireSavepoints() { needs_savepoints_ = true; }
  // A part of the running job that can be taken back by itself; after BeforeChange, when not hopeful. May be nested.
  absl::Status BeginNested();
  absl::Status EndNested(bool keep);
  // The workspace's key; 0 when there is none and `create` is false. Creating counts as a change.
  absl::StatusOr<int64_t> WorkspaceKey(std::string_view id, bool create);
  // A row number for a block that was never used before.
  int64_t NextBlockRow() { return ++last_block_row_; }
  // The next place in a user's undo stack.
  absl::StatusOr<int64_t> NextUndoPlace(int64_t workspace, std::string_view user);
  // The row up to which search has read, as of the last look; rows above need no note.
  int64_t indexed_row() const { return indexed_row_; }
  // Reads a step of the backlog into the search index: as many blocks as may hold up other mutations.
  absl::Status CatchUpSearch(SearchBacklog& backlog);
  // Writes to the disk without changing anything; after BeforeChange.
  absl::Status Touch();
  // Chains the entries when the batch commits, unless the job fails.
  void AddAudit(std::vector<PackedAuditEntry> entries);

  // Grows with every commit that changed something, before its callers are answered.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Pages in the write-ahead log after the last commit.
  int64_t log_pages() const { return log_pages_.load(std::memory_order_relaxed); }
  // The last commit failed for a reason that is the machine's.
  bool broken() const { return broken_.load(std::memory_order_relaxed); }
  uint64_t batches() const { return batches_.load(std::memory_order_relaxed); }

 private:
  enum class Outcome {
    kDone,             // Committed, or abandoned as a whole with every job told why.
    kTakenBack,        // SQLite took back the whole transaction in the middle of it, so that nothing of it is kept.
    kNeedsSavepoints,  // Run without, and one of the jobs wanted to go back.
  };
  Outcome RunTransaction(absl::Span<WriteJob* const> jobs);
  Outcome RunTransactionOnce(absl::Span<WriteJob* const> jobs, bool with_savepoints);
  Outcome StartAgain(absl::Span<WriteJob* const> jobs);
  void RunJob(WriteJob& job);
  absl::Status TakeJobAudit();
  absl::Status EndJob(bool keep);
  // What is remembered may be of a part of the running job that is gone.
  absl::Status ForgetTakenBack();
  absl::Status FlushAudit();
  absl::Status Commit();
  void ForgetFailedCommit();
  void Abandon(absl::Span<WriteJob* const> jobs, const absl::Status& status);
  absl::Status Reload();

  const std::unique_ptr<Connection> connection_;
  // These three forget all once they hold 10,000 rows, whose ids have at most 128 bytes.
  absl::flat_hash_map<std::string, int64_t> workspace_keys_;
  absl::flat_hash_map<int64_t, ChainLink> chain_heads_;
  absl::flat_hash_map<std::pair<int64_t, std::string>, int64_t> undo_places_;  // The last one taken.
  std::map<int64_t, std::vector<PackedAuditEntry>> batch_audit_;               // By workspace.
  std::vector<PackedAuditEntry> job_audit_;
  int64_t last_block_row_ = 0;
  int64_t indexed_row_ = 0;
  bool with_savepoints_ = false;
  bool hopeful_ = false;
  bool needs_savepoints_ = false;
  int64_t job_changes_ = 0;
  bool savepoint_open_ = false;
  bool job_made_workspace_ = false;
  bool job_moved_index_ = false;
  std::atomic<uint64_t> generation_{1};
  std::atomic<uint64_t> batches_{0};
  std::atomic<int64_t> log_pages_{0};
  std::atomic<bool> broken_{false};
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_WRITER_H_
