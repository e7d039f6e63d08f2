// The one connection that writes, with its state between transactions.
#ifndef TOOLGATE_STORAGE_SQLITE_WRITER_H_
#define TOOLGATE_STORAGE_SQLITE_WRITER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
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

// Used by one thread at a time: the leader of the write queue. Any thread may read the counters.
class Writer {
 public:
  explicit Writer(std::unique_ptr<Connection> connection);

  // Reads the state that the first write needs.
  absl::Status Start();

  // Runs the jobs in one transaction and makes them durable with one commit.
  //
  // With a savepoint, SQLite copies every page before a job changes it, which costs more than most jobs themselves. So
  // the jobs run without savepoints, in the hope that none must be rolled back after it changed something. If one must,
  // the whole transaction is rolled back and run again, each job with its own savepoint.
  void RunBatch(absl::Span<WriteJob* const> jobs);

  // Runs the job in a transaction and takes it back, over a shadow (ShadowVfs), whose own Start is not needed.
  void Rehearse(WriteJob& job);

  Connection& connection() { return *connection_; }

  // For bodies: call before the first change, so that the job can be rolled back separately.
  absl::Status BeforeChange();
  // Whether the running job has no savepoint to roll back to, how often it has announced a change, and its request to
  // roll back nevertheless.
  bool hopeful() const { return hopeful_; }
  int64_t job_changes() const { return job_changes_; }
  void RequireSavepoints() { needs_savepoints_ = true; }
  // A part of the running job that can be rolled back separately; after BeforeChange, if not hopeful. May be nested.
  absl::Status BeginNested();
  absl::Status EndNested(bool keep);
  // The workspace's key; 0 if there is none and `create` is false. Creating counts as a change.
  absl::StatusOr<int64_t> WorkspaceKey(std::string_view id, bool create);
  // A row number for a block, never used before.
  int64_t NextBlockRow() { return ++last_block_row_; }
  // The next place in a user's undo stack.
  absl::StatusOr<int64_t> NextUndoPlace(int64_t workspace, std::string_view user);
  // The last row that search has read, as of the last check; rows above need no note.
  int64_t indexed_row() const { return indexed_row_; }
  // Reads a step of the backlog into the search index: as many blocks as other mutations may wait for.
  absl::Status CatchUpSearch(SearchBacklog& backlog);
  // Reads a step of the audit entries into the index over their terms. Returns whether there may be more.
  absl::StatusOr<bool> IndexAudit();
  // Writes to the disk without changing anything; after BeforeChange.
  absl::Status Touch();
  // Chains the entries when the batch commits, unless the job fails.
  void AddAudit(std::vector<PackedAuditEntry> entries);

  // Grows with every commit that changed something, before its callers get their results.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Pages in the write-ahead log after the last commit.
  int64_t log_pages() const { return log_pages_.load(std::memory_order_relaxed); }
  // The last commit failed because of the machine.
  bool broken() const { return broken_.load(std::memory_order_relaxed); }
  uint64_t batches() const { return batches_.load(std::memory_order_relaxed); }

 private:
  enum class Outcome {
    kDone,             // Committed, or abandoned as a whole with the reason in every job.
    kTakenBack,        // SQLite rolled back the whole transaction in the middle of it, so nothing of it is kept.
    kNeedsSavepoints,  // Run without savepoints, and one of the jobs wanted to roll back.
  };
  Outcome RunTransaction(absl::Span<WriteJob* const> jobs);
  Outcome RunTransactionOnce(absl::Span<WriteJob* const> jobs, bool with_savepoints);
  Outcome StartAgain(absl::Span<WriteJob* const> jobs);
  void RunJob(WriteJob& job, bool keep);
  absl::Status TakeJobAudit();
  absl::Status EndJob(bool keep);
  // Cached values may come from a rolled-back part of the running job.
  absl::Status ForgetTakenBack();
  absl::Status FlushAudit();
  absl::Status Commit();
  void ForgetFailedCommit();
  void Abandon(absl::Span<WriteJob* const> jobs, const absl::Status& status);
  absl::Status Reload();

  const std::unique_ptr<Connection> connection_;
  // Each of these three is cleared once it holds 10,000 rows, whose ids have at most 128 bytes.
  absl::flat_hash_map<std::string, int64_t> workspace_keys_;
  absl::flat_hash_map<int64_t, ChainLink> chain_heads_;
  absl::flat_hash_map<std::pair<int64_t, std::string>, int64_t> undo_places_;  // The last place used.
  std::map<int64_t, std::vector<PackedAuditEntry>> batch_audit_;               // By workspace.
  std::vector<PackedAuditEntry> job_audit_;
  std::set<int64_t> unindexed_audit_;  // Workspaces with entries whose terms are not in the index; perhaps more.
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
